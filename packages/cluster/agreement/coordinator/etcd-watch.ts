/**
 * A watch of all documents under a prefix. After a cut it opens another stream, at the endpoint in use by then, from the revision
 * after the last that it has delivered. Where etcd has compacted that revision the watch ends.
 */

import type { Change, WatchSink } from './coordinator.ts';
import { reasonOf, type EtcdConnection, type EtcdStream } from './etcd-connection.ts';
import { EVENT_PUT, type WatchResponse } from './etcd-schema.ts';
import { keyRange } from './key-range.ts';

/** Milliseconds before the first try after a cut; each further try waits twice as long. */
const RETRY_MS = 100;
const RETRY_MS_MAX = 1_000;

interface EtcdWatchOptions {
  readonly connection: EtcdConnection;
  readonly prefix: string;
  /** First revision that is delivered. */
  readonly from: number;
  readonly sink: WatchSink;
  /** Longest wait for the reply that a stream is watched. */
  readonly timeoutMs: number;
}

export class EtcdWatch {
  readonly #options: EtcdWatchOptions;
  #nextRevision: number;
  #stream: EtcdStream | undefined;
  /** Deadline of the start of a stream, or the time to the next try. */
  #timer: NodeJS.Timeout | undefined;
  #tries = 0;
  #isInterrupted = false;
  /** True while a new login is to show why the watch was refused. */
  #hasNewLogin = false;
  #isOver = false;

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
    this.#nextRevision = options.from;
    void this.#open();
  }

  /** Ends the watch without a call of its sink. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stream?.end();
    this.#stream = undefined;
  }

  async #open(): Promise<void> {
    const { connection, prefix, timeoutMs } = this.#options;
    try {
      const stream = await connection.open('Watch/Watch', {
        received: (reply) => {
          this.#received(reply as WatchResponse);
        },
        failed: () => {
          this.#cut();
        },
      });
      if (this.#isOver) stream.end();
      if (stream.isOver) return;
      this.#stream = stream;
      this.#timer = setTimeout(() => {
        stream.abandon('no reply in time');
      }, timeoutMs);
      const startRevision = String(this.#nextRevision);
      stream.send({ createRequest: { ...keyRange(prefix), startRevision } });
    } catch {
      this.#cut();
    }
  }

  #cut(): void {
    this.#stream = undefined;
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#isInterrupted = true;
    this.#timer = setTimeout(
      () => {
        void this.#open();
      },
      Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** this.#tries),
    );
    this.#tries += 1;
  }

  #received(reply: WatchResponse): void {
    if (reply.canceled) {
      this.#canceled(reply);
      return;
    }
    const { sink } = this.#options;
    if (reply.created) {
      clearTimeout(this.#timer);
      this.#tries = 0;
      this.#hasNewLogin = false;
      const wasInterrupted = this.#isInterrupted;
      this.#isInterrupted = false;
      if (wasInterrupted) sink.resumed();
    }
    const changes = reply.events.map(({ type, kv }): Change => {
      const key = kv.key.toString().slice(this.#options.prefix.length);
      const value = type === EVENT_PUT ? kv.value.toString() : undefined;
      return { key, value, revision: Number(kv.modRevision) };
    });
    // The header of a reply may be ahead of its events when more of them follow.
    const last = changes.at(-1)?.revision;
    if (last === undefined) return;
    this.#nextRevision = last + 1;
    sink.changed(changes, last);
  }

  #canceled({ compactRevision, cancelReason }: WatchResponse): void {
    const { connection, sink } = this.#options;
    this.#stream?.end();
    // Etcd refuses a watch with an expired token as it refuses one without permission: a new login shows which it was.
    const mayBeToken = /permission denied|auth token/.test(cancelReason) && !this.#hasNewLogin;
    if (Number(compactRevision) === 0 && mayBeToken && connection.expired()) {
      this.#hasNewLogin = true;
      this.#cut();
      return;
    }
    this.end();
    sink.ended(
      Number(compactRevision) > 0
        ? `changes before revision ${compactRevision} are compacted`
        : reasonOf(new Error(cancelReason === '' ? 'the watch was canceled' : cancelReason)),
    );
  }
}
