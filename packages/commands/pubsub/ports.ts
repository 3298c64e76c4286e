/** What commands about messages between connections ask of the server. */

import type { Bytes } from '#base';
import type { ReplyWriter } from '#resp';
import type { ClientPort, MainContext } from '../contexts.ts';
import type { SubscriptionKind } from './subscriptions.ts';

/** Bytes at a place; valid during the command only. */
export interface Piece {
  readonly bytes: Bytes;
  readonly at: number;
  readonly length: number;
}

/** Names are texts with one character per byte. */
export interface PubSubPort {
  /** False when the client had it already. */
  subscribe(client: ClientPort, kind: SubscriptionKind, name: string): boolean;
  /** False when the client did not have it. */
  unsubscribe(client: ClientPort, kind: SubscriptionKind, name: string): boolean;
  /** Sends the message to everybody concerned, and answers how many they are. */
  publish(channel: Piece, message: Piece): number;
  publishToShard(channel: Piece, message: Piece): number;
  /** Channels that somebody has subscribed to by name. */
  channels(kind: 'channel' | 'shardChannel'): Iterable<string>;
  /** How many have subscribed to a channel by name. */
  subscriberCount(kind: 'channel' | 'shardChannel', name: string): number;
  /** How many different patterns there are. */
  readonly patternCount: number;
  /** Sends what is no reply, behind the replies to all that the client has sent so far. */
  push(client: ClientPort, write: (writer: ReplyWriter) => void): void;
}

/** What a handler of this family gets. */
export interface PubSubContext extends MainContext {
  readonly pubsub: PubSubPort;
}
