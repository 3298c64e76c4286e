/**
 * Memory that clients take: it counts toward maxmemory, and above maxmemory-clients the largest are closed.
 *
 * What a client takes is added up when it may have grown, and of all clients a few times a second. A replica counts for
 * nothing: a slow one would evict keys.
 */

import type { Logger } from '#base';
import type { Settings } from '#config';
import type { Page } from '#stats';
import type { Client } from '#router';
import type { ConnectedClients } from '#access';

/** Minimum limit: below it no client could connect to raise the limit again; Redis has the same minimum. */
const LIMIT_BYTES_MIN = 128 * 1024;

interface ClientMemoryOptions {
  readonly settings: Settings;
  readonly page: Page;
  readonly log: Pick<Logger, 'info'>;
  /** All clients. */
  readonly connected: Pick<ConnectedClients, 'all'>;
}

export class ClientMemory {
  readonly #options: ClientMemoryOptions;
  /** Bytes of each client, when they were looked at last. */
  readonly #bytes = new Map<Client, number>();
  #total = 0;
  /** Most bytes that clients may take together; 0 = no limit. */
  #limit = 0;

  constructor(options: ClientMemoryOptions) {
    this.#options = options;
    const { settings } = options;
    const apply = (): void => {
      this.#limit = limitOf(settings);
    };
    apply();
    for (const name of ['memory.maxmemory', 'memory.maxmemory-clients'] as const) {
      settings.onChange(name, () => {
        apply();
        this.sweep();
      });
    }
  }

  /** True when every change of a client's memory is to be noted. */
  get isLimited(): boolean {
    return this.#limit > 0;
  }

  /** Takes note of what a client takes now; closes the largest clients when all take too much. */
  note(client: Client): void {
    this.#account(client);
    this.#publish();
    if (this.#limit > 0 && this.#total > this.#limit) this.#evict();
  }

  /** Looks at all clients. */
  sweep(): void {
    for (const client of this.#options.connected.all) this.#account(client);
    this.#publish();
    if (this.#limit > 0 && this.#total > this.#limit) this.#evict();
  }

  /** Removes a disconnected client. */
  forget(client: Client): void {
    this.#total -= this.#bytes.get(client) ?? 0;
    this.#bytes.delete(client);
    this.#publish();
  }

  #account(client: Client): void {
    if (client.socket.isClosed) return;
    const bytes = client.roles.isReplica ? 0 : client.memoryBytes;
    this.#total += bytes - (this.#bytes.get(client) ?? 0);
    this.#bytes.set(client, bytes);
  }

  #publish(): void {
    this.#options.page.set('clientMemoryBytes', this.#total);
  }

  /** Closes clients from the largest on, until the rest takes no more than is allowed. */
  #evict(): void {
    const { page, log } = this.#options;
    const largestFirst = [...this.#bytes]
      .filter(([client]) => !client.session.noEvict && !client.roles.isReplica)
      .sort(([, a], [, b]) => b - a);
    for (const [client, bytes] of largestFirst) {
      if (this.#total <= this.#limit) return;
      page.add('evictedClients', 1);
      log.info(
        'client-evicted',
        'Client evicted: clients used more memory than maxmemory-clients',
        {
          client: client.socket.remoteAddress,
          bytes,
        },
      );
      client.socket.destroy();
    }
  }
}

/** A share of maxmemory is kept as a negative number of percent. */
function limitOf(settings: Settings): number {
  const setting = settings.number('memory.maxmemory-clients');
  const limit =
    setting >= 0 ? setting : Math.floor((settings.number('memory.maxmemory') * -setting) / 100);
  return limit === 0 ? 0 : Math.max(limit, LIMIT_BYTES_MIN);
}
