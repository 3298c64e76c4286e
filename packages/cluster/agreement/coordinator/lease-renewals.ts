/**
 * Renewals of a lease of etcd over one stream that stays open. Each has a deadline, since it is what fences the node: where no
 * reply comes in time the stream is given up with its member, and the next renewal opens one to the next endpoint.
 */

import type { EtcdConnection, EtcdStream } from './etcd-connection.ts';
import type { LeaseResponse } from './etcd-schema.ts';

interface Renewal {
  readonly resolve: (ttlMs: number) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: NodeJS.Timeout;
}

export class LeaseRenewals {
  readonly #connection: EtcdConnection;
  readonly #id: string;
  readonly #timeoutMs: number;
  #stream: Promise<EtcdStream> | undefined;
  /** Renewals that were sent, in the order in which they are replied to. */
  #sent: Renewal[] = [];
  #hasEnded = false;

  constructor(connection: EtcdConnection, id: string, timeoutMs: number) {
    this.#connection = connection;
    this.#id = id;
    this.#timeoutMs = timeoutMs;
  }

  /** Renews the lease; returns its remaining lifetime in milliseconds, 0 if it has expired. */
  async renew(): Promise<number> {
    const stream = await (this.#stream ??= this.#open());
    if (stream.isOver) throw new Error('the stream has ended');
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        stream.abandon('no reply in time');
      }, this.#timeoutMs);
      this.#sent.push({ resolve, reject, deadline });
      stream.send({ id: this.#id });
    });
  }

  /** Ends the stream: the lease is another now, or is given back. */
  end(): void {
    this.#hasEnded = true;
    this.#stream?.then(
      (stream) => {
        stream.end();
      },
      () => undefined,
    );
    this.#fail(new Error('the lease has changed'));
  }

  async #open(): Promise<EtcdStream> {
    try {
      const stream = await this.#connection.open('Lease/LeaseKeepAlive', {
        received: (reply) => {
          this.#received(reply as LeaseResponse);
        },
        failed: (error) => {
          this.#stream = undefined;
          this.#fail(error);
        },
      });
      if (this.#hasEnded) stream.end();
      return stream;
    } catch (error) {
      this.#stream = undefined;
      throw error;
    }
  }

  #received({ ttl }: LeaseResponse): void {
    const renewal = this.#sent.shift();
    if (renewal === undefined) return;
    clearTimeout(renewal.deadline);
    renewal.resolve(Math.max(0, Number(ttl)) * 1_000);
  }

  #fail(error: unknown): void {
    for (const { reject, deadline } of this.#sent.splice(0)) {
      clearTimeout(deadline);
      reject(error);
    }
  }
}
