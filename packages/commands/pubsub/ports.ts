/** Ports of the server that commands about messages between connections use. */

import type { Bytes } from '#base';
import type { ReplyWriter } from '#resp';
import type { ClientPort, MainContext } from '../contexts/contexts.ts';
import type { SubscriptionKind } from '../contexts/subscriptions.ts';

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
  /** Sends the message to all subscribers; returns the number of receivers. */
  publish(channel: Piece, message: Piece): number;
  publishToShard(channel: Piece, message: Piece): number;
  /** Gives a message that was published on another node of a cluster to the clients of this one. */
  deliver(command: 'PUBLISH' | 'SPUBLISH', channel: Piece, message: Piece): number;
  /** Channels that somebody has subscribed to by name. */
  channels(kind: 'channel' | 'shardChannel'): Iterable<string>;
  /** Counts the clients that have subscribed to a channel by name. */
  subscriberCount(kind: 'channel' | 'shardChannel', name: string): number;
  /** Number of different patterns. */
  readonly patternCount: number;
  /** Sends a push message, after the replies to all commands received so far. */
  push(client: ClientPort, write: (writer: ReplyWriter) => void): void;
}

/** Context of a handler of this family. */
export interface PubSubContext extends MainContext {
  readonly pubsub: PubSubPort;
}
