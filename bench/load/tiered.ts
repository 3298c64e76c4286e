/** The warm tier: what it costs keys that are in memory, and what ten times the memory costs all of them. */

import { type ChildServer, type RespClient, startServer, textOf } from '#testkit';
import { load, resp } from './generator.ts';
import { longestStallWhile } from './growth.ts';
import { median } from './rounds.ts';

const KEYS = 100_000;
const VALUE = 'v'.repeat(1_024);
/** Bytes that the keys and values take in memory, about. */
const BYTES_PER_KEY = 1_100;
/** Keys that stay in memory. */
const HOT_KEYS = 1_000;
const COMMANDS = 200_000;
const PIPELINE = 16;
const ZIPF = 0.99;
/** Reads among a hundred commands. */
const READ_PERCENT = 80;
/** Turns of what takes a second or two; of the mixed load there are fewer. */
const TURNS = 9;
const MIXED_TURNS = 3;
/** Clients of a load that takes all that a server gives: what waits, waits behind all of them. */
const MANY = { readers: 40, writers: 10, pipeline: PIPELINE };
/** Clients of a load that leaves some of it: each sends a command and waits for its answer. */
const FEW = { readers: 8, writers: 2, pipeline: 1 };
/** Share of the commands that the few send. */
const FEW_SHARE = 0.2;
const STALL_TURNS = 5;

type Load = typeof MANY;

type Row = (cells: readonly (string | number)[]) => void;

/** Operations per second with the tier, as a share of those with everything in memory. */
interface Shares {
  readonly inMemory: number;
  readonly tiered: number;
  readonly share: number;
}

function keyAt(nth: number): string {
  return `key:${String(nth).padStart(12, '0')}`;
}

function start(bytes: number): Promise<ChildServer> {
  const settings = {
    'persistence.enabled': 'no',
    ...(bytes > 0 && {
      'tiered.enabled': 'yes',
      'memory.maxmemory-policy': 'tiered-lfu',
      'memory.maxmemory': String(bytes),
    }),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  return startServer({ shards: 2, args });
}

function write(nth: number): string {
  return resp('SET', keyAt(nth), VALUE);
}

function read(nth: number): string {
  return resp('GET', keyAt(nth));
}

/** Samples of a Zipf distribution over a number of keys, generated before the measurement. */
function draws(keys: number, count: number): Uint32Array {
  const sums = new Float64Array(keys);
  let sum = 0;
  for (let nth = 0; nth < keys; nth += 1) {
    sum += 1 / (nth + 1) ** ZIPF;
    sums[nth] = sum;
  }
  return Uint32Array.from({ length: count }, () => {
    const drawn = Math.random() * sum;
    let [low, high] = [0, keys - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! < drawn) low = middle + 1;
      else high = middle;
    }
    // Neighbours in rank are no neighbours in name.
    return (low * 7_919) % keys;
  });
}

/** Operations per second of commands of one kind. */
async function rateOf(
  server: ChildServer,
  commands: number,
  command: (nth: number) => string,
  linesPerReply: number,
): Promise<number> {
  const options = { port: server.port, connections: 50, pipeline: PIPELINE };
  const { seconds } = await load({ ...options, commands, command, linesPerReply });
  return Math.round(commands / seconds);
}

/** Measures a mix of reads and writes with a Zipf distribution. */
async function mixedRate(
  server: ChildServer,
  { readers, writers, pipeline }: Load,
  keys: number,
  commands: number,
): Promise<number> {
  const drawn = draws(keys, commands);
  const reads = Math.round((commands * READ_PERCENT) / 100);
  const startMs = performance.now();
  const common = { port: server.port, pipeline };
  await Promise.all([
    load({
      ...common,
      connections: readers,
      commands: reads,
      command: (nth) => read(drawn[nth]!),
      linesPerReply: 2,
    }),
    load({
      ...common,
      connections: writers,
      commands: commands - reads,
      command: (nth) => write(drawn[reads + nth]!),
      linesPerReply: 1,
    }),
  ]);
  return Math.round((1_000 * commands) / (performance.now() - startMs));
}

/** Measures by turns, each of which begins with another server, and takes the medians: of the shares, too. */
async function compare(
  servers: readonly [ChildServer, ChildServer],
  turns: number,
  measure: (server: ChildServer) => Promise<number>,
): Promise<Shares> {
  const rates: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    for (const nth of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      rates[nth]!.push(await measure(servers[nth]!));
    }
  }
  const [inMemory, tiered] = rates;
  const share = median(tiered.map((rate, turn) => rate / inMemory[turn]!));
  return {
    inMemory: median(inMemory),
    tiered: median(tiered),
    share: Math.round(100 * share) / 100,
  };
}

/** Longest waits of four clients of hot keys beside a load, in milliseconds: medians of some turns. */
async function longestWaits(
  servers: readonly [ChildServer, ChildServer],
  beside: Load,
  keys: number,
  commands: number,
): Promise<Record<'inMemory' | 'tiered', number>> {
  const waits: [number[], number[]] = [[], []];
  for (let turn = 0; turn < STALL_TURNS; turn += 1) {
    for (const [nth, server] of servers.entries()) {
      const act = (): Promise<number> => mixedRate(server, beside, keys, commands);
      waits[nth]!.push((await longestStallWhile(server.port, act, 4)).longestMs);
    }
  }
  return { inMemory: median(waits[0]), tiered: median(waits[1]) };
}

async function infoOf(client: RespClient, section: string): Promise<(name: string) => number> {
  const text = textOf(await client.call('INFO', section));
  return (name) => Number(new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(text)?.[1]);
}

/** Compares a server with a tier and a tenth of the memory with one that has all in memory. */
export async function tiered(
  scale: number,
  row: Row,
  report: Record<string, unknown>,
): Promise<void> {
  // With fewer, what a server needs beside its data is all of a tenth of the memory.
  const keys = KEYS * Math.max(1, scale);
  const commands = COMMANDS * scale;
  const servers = [await start(0), await start((keys * BYTES_PER_KEY) / 10)] as const;
  try {
    for (const server of servers) await rateOf(server, keys, write, 1);
    const hot = Math.min(HOT_KEYS, keys / 20);
    const some = (nth: number): number => (nth * 7) % hot;
    // What is asked for often enough is in memory then.
    for (let turn = 0; turn < 3; turn += 1) {
      for (const server of servers) await rateOf(server, hot * 10, (nth) => read(some(nth)), 2);
    }
    const get = await compare(servers, TURNS, (server) =>
      rateOf(server, commands, (nth) => read(some(nth)), 2),
    );
    const set = await compare(servers, TURNS, (server) =>
      rateOf(server, commands, (nth) => write(some(nth)), 1),
    );
    const zipf = await compare(servers, MIXED_TURNS, (server) =>
      mixedRate(server, MANY, keys, commands),
    );
    const longestMs = {
      few: await longestWaits(servers, FEW, keys, commands * FEW_SHARE),
      many: await longestWaits(servers, MANY, keys, commands),
    };
    const client = await servers[1].client();
    const figures = await infoOf(client, 'tiered');
    const ownBytes = figures('tiered_spilled_bytes') - figures('tiered_compacted_bytes');
    const usages = await client.pipeline(
      Array.from({ length: 1_000 }, (_, nth) => ['MEMORY', 'USAGE', keyAt((nth * 97) % keys)]),
    );
    const table = {
      keys,
      get,
      set,
      zipf,
      longestMs,
      bytesPerWarmKey: Math.min(...usages.map(Number)),
      writtenPerSpilled: Math.round((100 * figures('tiered_written_bytes')) / ownBytes) / 100,
      fetchP99Us: figures('tiered_fetch_p99_usec'),
    };
    row(['tiered', 'in memory', 'tier', 'share']);
    for (const [name, { inMemory, tiered: with_, share }] of Object.entries({ get, set, zipf })) {
      row([name, inMemory, with_, share]);
    }
    for (const [name, { inMemory, tiered: with_ }] of Object.entries(longestMs)) {
      row([`longest wait ms, ${name}`, inMemory, with_, '']);
    }
    row(['bytes per warm key', '', table.bytesPerWarmKey, '']);
    row(['written per spilled byte', '', table.writtenPerSpilled, '']);
    report['tiered'] = table;
  } finally {
    for (const server of servers) await server.stop();
  }
}
