/**
 * Pub/sub: who listens to what, and messages to them.
 *
 * Everything is main's, so a message needs no shard: it is in the outputs of all who listen before the next command
 * is looked at, and each listener gets the messages of a publisher in their order.
 */

import { type Bytes, fromLatin1, globMatches, latin1 } from '#base';
import {
  type ClientPort,
  type MessageCommand,
  type Piece,
  type PubSubPort,
  type SubscriptionKind,
  Subscriptions,
} from '#commands';
import type { Page } from '#stats';
import { pubsubPublish } from '#usdt';
import type { ReplyWriter } from '#resp';
import type { Client } from '#router';
import type { FanOut } from './fan-out.ts';

/** Listeners of one name. Most names have one listener, for whom a set would cost more than all else. */
type Audience = Client | Set<Client>;
type Audiences = Map<string, Audience>;

/** Passes a published message on to other servers, with the name of its command. */
type Published = (command: MessageCommand, channel: Bytes, message: Bytes) => void;

export class PubSub implements PubSubPort {
  readonly #fanOut: FanOut;
  readonly #page: Page;
  /** Listeners by name; a name without listeners is not in it. */
  readonly #audiences: Readonly<Record<SubscriptionKind, Audiences>> = {
    channel: new Map(),
    pattern: new Map(),
    shardChannel: new Map(),
  };
  /** The bytes of each pattern with subscribers. */
  readonly #globs = new Map<string, Bytes>();
  readonly #published: Published;
  /** Number of messages received from other nodes. */
  received = 0;

  /** `published` takes each message that a client publishes here; notifications are each server's own. */
  constructor(fanOut: FanOut, page: Page, published: Published) {
    this.#fanOut = fanOut;
    this.#published = published;
    this.#page = page;
  }

  get patternCount(): number {
    return this.#audiences.pattern.size;
  }

  /** True when a message to any channel could reach a client. */
  get hasListeners(): boolean {
    return this.#audiences.channel.size + this.#audiences.pattern.size > 0;
  }

  channels(kind: 'channel' | 'shardChannel'): Iterable<string> {
    return this.#audiences[kind].keys();
  }

  subscriberCount(kind: 'channel' | 'shardChannel', name: string): number {
    return sizeOf(this.#audiences[kind].get(name));
  }

  subscribe(port: ClientPort, kind: SubscriptionKind, name: string): boolean {
    const client = port as Client;
    const { ownRoles: roles } = client;
    if (roles.subscriptions === undefined) {
      roles.subscriptions = new Subscriptions();
      this.#page.add('pubsubClients', 1);
    }
    const own = roles.subscriptions[kind];
    if (own.has(name)) return false;
    own.add(name);
    const audiences = this.#audiences[kind];
    const audience = audiences.get(name);
    if (audience === undefined) {
      audiences.set(name, client);
      if (kind === 'pattern') this.#globs.set(name, fromLatin1(name));
      this.#countNames();
    } else if (audience instanceof Set) {
      audience.add(client);
    } else {
      audiences.set(name, new Set([audience, client]));
    }
    return true;
  }

  unsubscribe(port: ClientPort, kind: SubscriptionKind, name: string): boolean {
    const client = port as Client;
    const { subscriptions } = client.roles;
    if (subscriptions?.[kind].delete(name) !== true) return false;
    this.#leave(client, kind, name);
    if (subscriptions.isEmpty) this.#isNoSubscriber(client);
    return true;
  }

  /** Ends all subscriptions of a client, without notifying it. */
  forget(client: Client): void {
    const { subscriptions } = client.roles;
    if (subscriptions === undefined) return;
    for (const kind of ['channel', 'pattern', 'shardChannel'] as const) {
      for (const name of subscriptions[kind]) this.#leave(client, kind, name);
    }
    this.#isNoSubscriber(client);
  }

  publish(channel: Piece, message: Piece): number {
    const receivers = this.notify(channel, message);
    this.#published('PUBLISH', viewOf(channel), viewOf(message));
    this.#fire(channel, receivers);
    return receivers;
  }

  /** Publishes a message to the clients of this server alone. */
  notify(channel: Piece, message: Piece): number {
    const { bytes, at, length } = channel;
    const name = latin1(bytes, at, length);
    let receivers = 0;
    const audience = this.#audiences.channel.get(name);
    if (audience !== undefined) receivers += this.#send('message', audience, channel, message);
    if (this.#globs.size === 0) return receivers;
    const value = bytes.subarray(at, at + length);
    for (const [pattern, glob] of this.#globs) {
      if (globMatches(glob, value)) receivers += this.#sendMatching(pattern, channel, message);
    }
    return receivers;
  }

  publishToShard(channel: Piece, message: Piece): number {
    const receivers = this.#notifyShard(channel, message);
    this.#published('SPUBLISH', viewOf(channel), viewOf(message));
    this.#fire(channel, receivers);
    return receivers;
  }

  #notifyShard(channel: Piece, message: Piece): number {
    const name = latin1(channel.bytes, channel.at, channel.length);
    const audience = this.#audiences.shardChannel.get(name);
    return audience === undefined ? 0 : this.#send('smessage', audience, channel, message);
  }

  deliver(command: MessageCommand, channel: Piece, message: Piece): number {
    this.received += 1;
    const isForAll = command === 'PUBLISH';
    return isForAll ? this.notify(channel, message) : this.#notifyShard(channel, message);
  }

  /** Ends the subscriptions to shard channels that have moved, and notifies their subscribers. */
  endShardChannels(isGone: (name: string) => boolean): void {
    for (const [name, audience] of [...this.#audiences.shardChannel]) {
      if (!isGone(name)) continue;
      for (const client of audience instanceof Set ? [...audience] : [audience]) {
        this.unsubscribe(client, 'shardChannel', name);
        const left = client.roles.subscriptions?.shardChannel.size ?? 0;
        this.#fanOut.send(client, (writer) => {
          writer.pushHeader(3);
          writer.text('sunsubscribe');
          writer.text(name, 'latin1');
          writer.integer(left);
        });
      }
    }
  }

  #fire({ bytes, at, length }: Piece, receivers: number): void {
    if (pubsubPublish.isWatched) pubsubPublish.fire(latin1(bytes, at, length), receivers);
  }

  push(client: ClientPort, write: (writer: ReplyWriter) => void): void {
    this.#fanOut.send(client as Client, write);
  }

  #send(word: string, audience: Audience, channel: Piece, message: Piece): number {
    this.#fanOut.begin((writer) => {
      writer.pushHeader(3);
      writer.text(word);
      writer.bulk(channel.bytes, channel.at, channel.length);
      writer.bulk(message.bytes, message.at, message.length);
    });
    return this.#sendToAll(audience);
  }

  #sendMatching(pattern: string, channel: Piece, message: Piece): number {
    const audience = this.#audiences.pattern.get(pattern);
    if (audience === undefined) return 0;
    this.#fanOut.begin((writer) => {
      writer.pushHeader(4);
      writer.text('pmessage');
      writer.text(pattern, 'latin1');
      writer.bulk(channel.bytes, channel.at, channel.length);
      writer.bulk(message.bytes, message.at, message.length);
    });
    return this.#sendToAll(audience);
  }

  /** Returns the number of receivers; a client that is disconnected for a full output is counted. */
  #sendToAll(audience: Audience): number {
    const size = sizeOf(audience);
    if (audience instanceof Set) for (const client of audience) this.#fanOut.sendTo(client);
    else this.#fanOut.sendTo(audience);
    return size;
  }

  #leave(client: Client, kind: SubscriptionKind, name: string): void {
    const audience = this.#audiences[kind].get(name);
    if (audience instanceof Set) {
      audience.delete(client);
      if (audience.size > 0) return;
    }
    this.#audiences[kind].delete(name);
    if (kind === 'pattern') this.#globs.delete(name);
    this.#countNames();
  }

  #isNoSubscriber(client: Client): void {
    client.ownRoles.subscriptions = undefined;
    this.#page.add('pubsubClients', -1);
  }

  #countNames(): void {
    const { channel, pattern, shardChannel } = this.#audiences;
    this.#page.set('pubsubChannels', channel.size);
    this.#page.set('pubsubPatterns', pattern.size);
    this.#page.set('pubsubShardChannels', shardChannel.size);
  }
}

function sizeOf(audience: Audience | undefined): number {
  if (audience === undefined) return 0;
  return audience instanceof Set ? audience.size : 1;
}

function viewOf({ bytes, at, length }: Piece): Bytes {
  return bytes.subarray(at, at + length);
}
