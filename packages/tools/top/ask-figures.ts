/** Readings of a server for `svc-server top`, over its own protocol; rates are differences of two of them. */

import type { StatusDocument } from '#api-types';
import { systemClock } from '#base';
import { ReplyClient } from '#net';
import type { Reply } from '#resp';
import { clientFields } from '../text/client-list.ts';
import { askPart, statusOf, utf8 } from '../text/replies.ts';
import type { ServerPlace } from '../text/server-place.ts';

/** Figures of a command since the start of the server or CONFIG RESETSTAT. */
export interface CommandFigures {
  readonly calls: number;
  readonly us: number;
}

/** Figures of a client since it connected. */
interface ClientFigures {
  readonly id: string;
  readonly addr: string;
  readonly name: string;
  readonly user: string;
  /** Last command. */
  readonly command: string;
  readonly commands: number;
  readonly output_bytes: number;
  readonly memory_bytes: number;
}

/** A key of the last window, or of the session, of HOTKEYS. */
interface HotKey {
  readonly key: string;
  readonly db: number;
  readonly ops_per_sec: number;
  readonly reads_per_sec: number;
  readonly writes_per_sec: number;
}

/** Parts of a reading that only one view shows. */
export const PARTS = ['shards', 'commands', 'clients', 'keys'] as const;
export type Part = (typeof PARTS)[number];

/** One reading. A part is null if it was not asked for, is switched off, or is not permitted. */
export interface Reading {
  /** Milliseconds of this process' monotonic clock. */
  readonly atMs: number;
  readonly status: StatusDocument;
  /** Requests by latency band and shard: counts up to each threshold, and the last over it. */
  readonly bands: readonly ReadonlyMap<string, number>[] | null;
  readonly commands: ReadonlyMap<string, CommandFigures> | null;
  readonly clients: readonly ClientFigures[] | null;
  readonly keys: readonly HotKey[] | null;
  /** Reasons for missing parts. */
  readonly missing: readonly string[];
}

export class FigureSource {
  readonly #place: ServerPlace;
  readonly #msMax: number;
  #client: ReplyClient | undefined;

  /** A reading may take `msMax` milliseconds. */
  constructor(place: ServerPlace, msMax: number) {
    this.#place = place;
    this.#msMax = msMax;
  }

  get address(): string {
    return `${this.#place.host}:${this.#place.port}`;
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  /** Takes a reading, on a new connection after an error; rejects if the server cannot be asked. */
  async read(parts: ReadonlySet<Part>): Promise<Reading> {
    const late = AbortSignal.timeout(this.#msMax);
    const giveUp = (): void => {
      this.close();
    };
    late.addEventListener('abort', giveUp);
    try {
      return await this.#ask(await this.#connected(), parts);
    } catch (error) {
      this.close();
      if (!late.aborted) throw error;
      const text = `${this.address}: no answer within ${this.#msMax / 1_000} s`;
      throw new Error(text, { cause: error });
    } finally {
      late.removeEventListener('abort', giveUp);
    }
  }

  async #connected(): Promise<ReplyClient> {
    if (this.#client !== undefined) return this.#client;
    const { host, port, tls, login } = this.#place;
    const client = new ReplyClient(host, port, tls);
    this.#client = client;
    if (login.length > 0) await client.call(...login);
    return client;
  }

  async #ask(client: ReplyClient, parts: ReadonlySet<Part>): Promise<Reading> {
    const missing: string[] = [];
    const ask = async (part: Part, ...words: readonly string[]): Promise<Reply> =>
      parts.has(part) ? askPart(client, missing, words) : null;
    const atMs = systemClock.nowUs() / 1_000;
    const status = statusOf(await client.call('STATUS', 'JSON'), this.address);
    const bands = await ask('shards', 'LATENCY', 'BANDS', 'PER-SHARD');
    const commands = await ask('commands', 'INFO', 'commandstats');
    const clients = await ask('clients', 'CLIENT', 'LIST');
    const keys = await ask('keys', 'HOTKEYS', 'WINDOW');
    return {
      atMs,
      status,
      bands: isList(bands) && bands.length > 0 ? bands.map(bandsOf) : null,
      commands: typeof commands === 'string' ? commandsOf(utf8(commands)) : null,
      clients: typeof clients === 'string' ? clientsOf(utf8(clients)) : null,
      keys: keysOf(keys),
      missing,
    };
  }
}

function isList(reply: Reply | undefined): reply is readonly Reply[] {
  return Array.isArray(reply);
}

/** Returns the names and values of a list in which they alternate. */
function pairsOf(reply: Reply | undefined): ReadonlyMap<string, Reply> {
  const words = isList(reply) ? reply : [];
  const pairs = new Map<string, Reply>();
  for (let nth = 0; nth + 1 < words.length; nth += 2) {
    pairs.set(String(words[nth]), words[nth + 1]!);
  }
  return pairs;
}

function bandsOf(reply: Reply): ReadonlyMap<string, number> {
  return new Map([...pairsOf(reply)].map(([label, count]) => [label, Number(count)]));
}

/** Lines of INFO commandstats: `cmdstat_name:calls=1,usec=2,...`. */
function commandsOf(text: string): ReadonlyMap<string, CommandFigures> {
  const lines = text.matchAll(/^cmdstat_(.+):calls=(\d+),usec=(\d+)/gm);
  return new Map(
    [...lines].map(([, name = '', calls, us]) => [name, { calls: Number(calls), us: Number(us) }]),
  );
}

function clientsOf(text: string): readonly ClientFigures[] {
  return clientFields(text).map((fields) => {
    const field = (name: string): string => fields.get(name) ?? '';
    return {
      id: field('id'),
      addr: field('addr'),
      name: field('name'),
      user: field('user'),
      command: field('cmd'),
      commands: Number(field('tot-cmds')),
      output_bytes: Number(field('omem')),
      memory_bytes: Number(field('tot-mem')),
    };
  });
}

/** Null if windows are switched off, or none has ended yet. */
function keysOf(reply: Reply): readonly HotKey[] | null {
  if (!isList(reply)) return null;
  const keys = pairsOf(reply).get('hotkeys');
  if (!isList(keys)) return null;
  return keys.map((each) => {
    const fields = pairsOf(each);
    return {
      key: utf8(String(fields.get('key'))),
      db: Number(fields.get('db')),
      ops_per_sec: Number(fields.get('ops-per-sec')),
      reads_per_sec: Number(fields.get('reads-per-sec')),
      writes_per_sec: Number(fields.get('writes-per-sec')),
    };
  });
}
