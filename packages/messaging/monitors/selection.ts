/** Selection of commands for a monitor of the debug pages. It reads a command in place and copies nothing of it. */

import type { CommandSource, MonitorSelection } from '#api-types';
import { type Bytes, globMatchesAt } from '#base';
import { findKeys } from '#commands';
import type { Client } from '#router';
import { addressOf, databaseOf, type MonitoredCommand, namesOf } from './monitored-command.ts';

const ALL_SOURCES: readonly CommandSource[] = ['client', 'script', 'transaction'];

export class Selection {
  readonly #filter: MonitorSelection;
  readonly #sources: readonly CommandSource[];
  readonly #key: Bytes | undefined;
  /** Id of the client; undefined where the filter has an address or none. */
  readonly #clientId: number | undefined;

  constructor(filter: MonitorSelection) {
    const { key, client, sources } = filter;
    this.#filter = filter;
    this.#sources = sources.length === 0 ? ALL_SOURCES : sources;
    this.#key = key === null ? undefined : Buffer.from(key);
    this.#clientId = client !== null && /^\d+$/.test(client) ? Number(client) : undefined;
  }

  /** True when calls of scripts may be selected, which shards report only when asked to. */
  get hasCalls(): boolean {
    return this.#sources.includes('script');
  }

  /** True for a command of a selected source. */
  hasSource(command: MonitoredCommand): boolean {
    return this.#sources.includes(sourceOf(command));
  }

  /** True when a command of a selected source fits the rest of the filter. */
  admits(command: MonitoredCommand): boolean {
    const { commands, user, db } = this.#filter;
    if (user !== null && command.client.session.user !== user) return false;
    if (db !== null && databaseOf(command) !== db) return false;
    if (commands.length > 0 && !namesOf(command.entry).some((name) => commands.includes(name))) {
      return false;
    }
    return this.#isOfClient(command.client) && this.#hasKey(command);
  }

  #isOfClient(client: Client): boolean {
    const wanted = this.#filter.client;
    if (wanted === null) return true;
    if (this.#clientId !== undefined) return client.id === this.#clientId;
    const address = addressOf(client);
    return (
      address === wanted || address.startsWith(`${wanted}:`) || address.startsWith(`[${wanted}]:`)
    );
  }

  #hasKey({ entry, args }: MonitoredCommand): boolean {
    const pattern = this.#key;
    if (pattern === undefined) return true;
    const found = findKeys(entry.command.keys, args) ?? [];
    return found.some(({ index }) =>
      globMatchesAt(pattern, args.source, args.at(index), args.length(index)),
    );
  }
}

export function sourceOf({ origin }: MonitoredCommand): CommandSource {
  if (origin === undefined) return 'client';
  return origin === 'transaction' ? 'transaction' : 'script';
}
