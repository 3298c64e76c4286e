/** What one client has subscribed to. */

/** The three namespaces of subscriptions: they have nothing to do with each other. */
export type SubscriptionKind = 'channel' | 'pattern' | 'shardChannel';

export class Subscriptions {
  /** Names, one character per byte. */
  readonly channel = new Set<string>();
  readonly pattern = new Set<string>();
  readonly shardChannel = new Set<string>();

  get isEmpty(): boolean {
    return this.channel.size + this.pattern.size + this.shardChannel.size === 0;
  }

  /** What confirmations say: channels and patterns are counted together, shard channels apart. */
  countBeside(kind: SubscriptionKind): number {
    return kind === 'shardChannel' ? this.shardChannel.size : this.channel.size + this.pattern.size;
  }
}
