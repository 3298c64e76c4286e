/** Key events of the shards, handed on to those who want to know. */

import { type Bytes, fromLatin1 } from '#base';
import { decodeKeyEvents, type KeyEvent, KeyEventFlag } from '#link';
import type { PubSub } from './pubsub.ts';

/** Follower of changes, beside notifications. */
interface ChangeFollower {
  modified(event: KeyEvent): void;
  flushed(): void;
}

export class KeyEvents {
  readonly #pubsub: PubSub;
  readonly #follower: ChangeFollower;

  constructor(pubsub: PubSub, follower: ChangeFollower) {
    this.#pubsub = pubsub;
    this.#follower = follower;
  }

  /** Takes the body of a shard's frame. */
  take(body: Bytes): void {
    for (const event of decodeKeyEvents(body)) {
      const { flags } = event;
      if ((flags & KeyEventFlag.modified) !== 0) this.#follower.modified(event);
      if ((flags & KeyEventFlag.flushed) !== 0) this.#follower.flushed();
      if (this.#pubsub.hasListeners) this.#publish(event);
    }
  }

  #publish({ flags, database, name, key }: KeyEvent): void {
    const event = fromLatin1(name);
    if ((flags & KeyEventFlag.keyspace) !== 0) this.#send('keyspace', database, key, event);
    if ((flags & KeyEventFlag.keyevent) !== 0) this.#send('keyevent', database, event, key);
  }

  #send(kind: string, database: number, subject: Bytes, message: Bytes): void {
    const channel = Buffer.concat([fromLatin1(`__${kind}@${database}__:`), subject]);
    this.#pubsub.notify(whole(channel), whole(message));
  }
}

function whole(bytes: Bytes): { bytes: Bytes; at: number; length: number } {
  return { bytes, at: 0, length: bytes.length };
}
