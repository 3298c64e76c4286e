/**
 * A connection beside the load, on which the server is asked for its own figures before and after: of all servers processor
 * time and counts of commands, of svc also bands and counts of each shard.
 */

import type { StatusDocument } from '#api-types';
import { connectToPlace, placeText, ReplyClient, type ServerPlace } from '#net';
import { ReplyError, type Reply } from '#resp';
import { greetingOf } from '../engine/greeting.ts';
import type { NodeSlots } from '../engine/slot-map.ts';
import type { Target } from '../options/plan.ts';

/** Time for an answer, in milliseconds. */
const ANSWER_MS_MAX = 15_000;

type Fields = ReadonlyMap<string, string>;

/** Counts of requests by band, such as `<=1ms`. */
type Bands = Readonly<Record<string, number>>;

/** Figures of a server at one moment. */
export interface ServerReading {
  readonly address: string;
  /** Fields of INFO; undefined if the user may not ask for it. */
  readonly info: Fields | undefined;
  /** Shards of svc in order; empty for other servers. */
  readonly shards: readonly { readonly commands: number; readonly bands: Bands }[];
  /** Reasons for missing parts. */
  readonly missing: readonly string[];
}

export class ServerSession {
  readonly #client: ReplyClient;
  readonly #address: string;

  private constructor(place: ServerPlace) {
    this.#address = placeText(place);
    this.#client = new ReplyClient(this.#address, 0, undefined, connectToPlace(place));
  }

  /** Connects, and makes sure that the server serves; rejects with the place and the reason. */
  static async open(place: ServerPlace, target: Target): Promise<ServerSession> {
    const session = new ServerSession(place);
    try {
      await session.#inTime(async () => {
        for (const words of greetingOf(target)) await session.#client.call(...words);
        await session.#ping();
      });
      return session;
    } catch (error) {
      session.close();
      const { message } = error as Error;
      const isPlaced = message.startsWith(session.#address);
      throw new Error(isPlaced ? message : `${session.#address}: ${message}`, { cause: error });
    }
  }

  close(): void {
    this.#client.close();
  }

  /** Returns the nodes that have slots; rejects if the server is not one of a cluster. */
  async nodes(): Promise<readonly NodeSlots[]> {
    const reply = await this.#inTime(() => this.#client.call('CLUSTER', 'SLOTS')).catch(
      (error: unknown) => {
        throw new Error(`${this.#address}: --cluster: ${(error as Error).message}`, {
          cause: error,
        });
      },
    );
    const nodes = new Map<string, { host: string; port: number; ranges: [number, number][] }>();
    for (const range of reply as readonly (readonly Reply[])[]) {
      const [first, last, primary] = range as [number, number, readonly Reply[]];
      const [host, port] = [String(primary[0] ?? ''), Number(primary[1])];
      const node = nodes.get(`${host}:${port}`) ?? { host, port, ranges: [] };
      node.ranges.push([first, last]);
      nodes.set(`${host}:${port}`, node);
    }
    if (nodes.size === 0) throw new Error(`${this.#address}: --cluster: no node has slots`);
    return [...nodes.values()];
  }

  /** Reads the figures. */
  async read(): Promise<ServerReading> {
    const missing: string[] = [];
    const ask = async (...words: readonly string[]): Promise<Reply | undefined> => {
      try {
        return await this.#inTime(() => this.#client.call(...words));
      } catch (error) {
        const what = words.slice(0, 2).join(' ');
        missing.push(`${what}: ${(error as Error).message}`);
        return undefined;
      }
    };
    const text = await ask('INFO', 'all');
    const info = typeof text === 'string' ? fieldsOf(text) : undefined;
    const shards = info?.has('svc_version') === true ? await shardsOf(ask) : [];
    return { address: this.#address, info, shards, missing };
  }

  /** A server that loads its data, or refuses its client, has an error. */
  async #ping(): Promise<void> {
    try {
      await this.#client.call('PING');
    } catch (error) {
      // A user that may not PING may be allowed what it is to send.
      if (!(error instanceof ReplyError) || !error.message.startsWith('NOPERM')) throw error;
    }
  }

  async #inTime<Result>(act: () => Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no answer within ${ANSWER_MS_MAX / 1_000} s`));
      }, ANSWER_MS_MAX);
    });
    try {
      return await Promise.race([act(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function fieldsOf(text: string): Fields {
  const fields = new Map<string, string>();
  for (const line of Buffer.from(text, 'latin1').toString().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
}

type Ask = (...words: readonly string[]) => Promise<Reply | undefined>;

async function shardsOf(ask: Ask): Promise<ServerReading['shards']> {
  const status = await ask('STATUS', 'JSON');
  if (typeof status !== 'string') return [];
  const document = JSON.parse(Buffer.from(status, 'latin1').toString()) as StatusDocument;
  const bands = await ask('LATENCY', 'BANDS', 'PER-SHARD');
  const lists = Array.isArray(bands) ? (bands as readonly (readonly Reply[])[]) : [];
  return document.shards.map(({ ops_total: commands }, shard) => ({
    commands,
    bands: bandsOf(lists[shard] ?? []),
  }));
}

/** Labels and counts in turn; counts include those of the bands before, and become counts of each band alone. */
function bandsOf(list: readonly Reply[]): Bands {
  const bands: Record<string, number> = {};
  let before = 0;
  for (let at = 0; at + 1 < list.length; at += 2) {
    const [label, count] = [String(list[at]), Number(list[at + 1])];
    if (label === 'total') continue;
    bands[label] = label.startsWith('>') ? count : count - before;
    before = count;
  }
  return bands;
}
