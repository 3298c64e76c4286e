/** The warm tier: what it costs keys that are in memory, and what ten times the memory costs all of them. */

import { type ChildServer, type RespClient, startServer, textOf } from '#testkit';
import type { LoadResult } from '#load';
import { keyOf, play } from './generator.ts';
import { longestStallWhile } from './growth.ts';
import { median } from './rounds.ts';

const KEYS = 100_000;
const VALUE_BYTES = 1_024;
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

const WRITE = 'SET key:{key} {value}';
const READ = 'GET key:{key}';
const SIZE = ['--value-size', String(VALUE_BYTES)];

/** Operations per second of commands of one kind, on keys one after the other. */
async function rateOf(
  server: ChildServer,
  commands: number,
  command: string,
  keys: number,
): Promise<number> {
  const result = await play(
    server.port,
    ...['--requests', String(commands), '--pipeline', String(PIPELINE), ...SIZE],
    ...['--command', command, '--sequential', '--keys', String(keys)],
  );
  return Math.round(result.commands / result.seconds);
}

/** Measures reads and writes beside each other, with a Zipf distribution. */
async function mixedRate(
  server: ChildServer,
  { readers, writers, pipeline }: Load,
  keys: number,
  commands: number,
): Promise<number> {
  const reads = Math.round((commands * READ_PERCENT) / 100);
  const common = [
    ...['--pipeline', String(pipeline), '--keys', String(keys), '--zipf', String(ZIPF), ...SIZE],
  ];
  const of = (command: string, connections: number, requests: number): Promise<LoadResult> =>
    play(
      server.port,
      ...common,
      ...['--command', command, '--connections', String(connections)],
      ...['--requests', String(requests)],
    );
  const [read, write] = await Promise.all([
    of(READ, readers, reads),
    of(WRITE, writers, commands - reads),
  ]);
  return Math.round(commands / Math.max(read.seconds, write.seconds));
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
    for (const server of servers) await rateOf(server, keys, WRITE, keys);
    const hot = Math.min(HOT_KEYS, keys / 20);
    // What is asked for often enough is in memory then.
    for (let turn = 0; turn < 3; turn += 1) {
      for (const server of servers) await rateOf(server, hot * 10, READ, hot);
    }
    const get = await compare(servers, TURNS, (server) => rateOf(server, commands, READ, hot));
    const set = await compare(servers, TURNS, (server) => rateOf(server, commands, WRITE, hot));
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
      Array.from({ length: 1_000 }, (_, nth) => ['MEMORY', 'USAGE', keyOf((nth * 97) % keys)]),
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
