/** Subscriptions of one client. */

/** The three namespaces of subscriptions: they have nothing to do with each other. */
export type SubscriptionKind = 'channel' | 'pattern' | 'shardChannel';

/** Memory of a name besides its bytes: the string, and its places among the client's and the server's. */
const NAME_BYTES = 128;

/** Names, one character per byte. */
class Names extends Set<string> {
  memoryBytes = 0;

  override add(name: string): this {
    if (!this.has(name)) this.memoryBytes += NAME_BYTES + name.length;
    return super.add(name);
  }

  override delete(name: string): boolean {
    const isHere = super.delete(name);
    if (isHere) this.memoryBytes -= NAME_BYTES + name.length;
    return isHere;
  }

  override clear(): void {
    this.memoryBytes = 0;
    super.clear();
  }
}

export class Subscriptions {
  readonly channel = new Names();
  readonly pattern = new Names();
  readonly shardChannel = new Names();

  /** Memory that the subscriptions take. */
  get memoryBytes(): number {
    return this.channel.memoryBytes + this.pattern.memoryBytes + this.shardChannel.memoryBytes;
  }

  get isEmpty(): boolean {
    return this.channel.size + this.pattern.size + this.shardChannel.size === 0;
  }

  /** Returns the count in confirmations: channels and patterns are counted together, shard channels apart. */
  countBeside(kind: SubscriptionKind): number {
    return kind === 'shardChannel' ? this.shardChannel.size : this.channel.size + this.pattern.size;
  }
}
