/**
 * Memory under a continuous load over data of constant size: any growth is a leak, or a heap without a limit. Resident
 * memory and the heap of each thread are sampled; growth after the first minutes fails the run.
 */

import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type ChildServer,
  freePort,
  request,
  type RespClient,
  startServer,
  textOf,
} from '#testkit';
import { resp, keyOf } from './generator.ts';
import { median } from './rounds.ts';
import { residentBytes } from './thread-cpu.ts';

const COMMANDS_PER_SECOND = 2_000;
const CONNECTIONS = 8;
const KEYS = 10_000;
const VALUE = 'v'.repeat(64);
/** Between two pieces of the load. */
const TICK_MS = 20;
const SAMPLE_MS = 2_000;
/** Heaps and code are warm after this part of a run: three minutes of ten. */
const WARM_PART = 0.3;
/** Both ends of the comparison are medians over this part of a run: garbage comes and goes. */
const WINDOW_PART = 0.1;
const GROWTH_PERCENT_MAX = 3;
const MIB = 1024 * 1024;

const SOAK_MODES = ['plain', 'persistence', 'tracing', 'everything'] as const;
type SoakMode = (typeof SOAK_MODES)[number];

/** A look at a server: resident bytes, and bytes of each thread's heap by the thread's name. */
interface Sample {
  readonly ms: number;
  readonly rssBytes: number;
  readonly heaps: ReadonlyMap<string, number>;
}

interface SoakResult {
  readonly seconds: number;
  readonly warm_mib: number;
  readonly end_mib: number;
  readonly most_mib: number;
  readonly growth_percent: number;
  readonly is_flat: boolean;
  /** MiB of each thread's heap with what it owns outside, when warm and at the end. */
  readonly heaps_mib: Readonly<Record<string, readonly [warm: number, end: number]>>;
}

/** Prints a row of a table. */
type Row = (cells: readonly (string | number)[]) => void;

/** All modes, one after the other; answers their figures, and whether all stayed flat. */
export async function soak(
  seconds: number,
  row: Row,
  modes: readonly SoakMode[] = SOAK_MODES,
): Promise<{ results: Record<string, SoakResult>; isFlat: boolean }> {
  row(['soak', 'warm MiB', 'end MiB', 'most MiB', 'growth %', 'flat']);
  const results: Record<string, SoakResult> = {};
  for (const mode of modes) {
    const result = await soakOf(mode, seconds);
    results[mode] = result;
    const { warm_mib: warm, end_mib: end, most_mib: most, growth_percent: growth } = result;
    row([mode, warm, end, most, growth, result.is_flat ? 'yes' : 'NO']);
    for (const [thread, [before, after]] of Object.entries(result.heaps_mib)) {
      row([`  ${thread}`, before, after]);
    }
  }
  return { results, isFlat: Object.values(results).every((result) => result.is_flat) };
}

async function soakOf(mode: SoakMode, seconds: number): Promise<SoakResult> {
  const server = await startServer({ shards: 2, http: true, args: await argumentsOf(mode) });
  try {
    const observer = await server.client();
    await fillAll(observer);
    const load = new PacedLoad(server.port);
    const samples: Sample[] = [];
    const beganMs = performance.now();
    for (let ms = 0; ms < seconds * 1_000; ms = performance.now() - beganMs) {
      if (mode === 'everything') await lookAtAll(server, observer);
      samples.push(await sampleOf(server, observer, ms));
      await pause(SAMPLE_MS);
    }
    load.stop();
    return judged(samples, seconds);
  } finally {
    await server.stop();
  }
}

/** The collectors' port has no listener. */
async function argumentsOf(mode: SoakMode): Promise<readonly string[]> {
  const set = (...pairs: readonly string[]): string[] => pairs.flatMap((pair) => ['--set', pair]);
  const endpoint = `http://127.0.0.1:${String(await freePort())}`;
  const tracing = [
    'tracing.enabled=yes',
    'tracing.sampling-rate=1',
    `tracing.otlp-endpoint=${endpoint}`,
  ];
  const quiet = ['--log-level', 'warn'];
  switch (mode) {
    case 'plain':
      return [...quiet, ...set('persistence.enabled=no')];
    case 'persistence':
      return [...quiet, ...set('persistence.durability-mode=periodic')];
    case 'tracing':
      return [...quiet, ...set('persistence.enabled=no', ...tracing)];
    case 'everything':
      return [
        ...quiet,
        ...set(...tracing, 'metrics.otlp-enabled=yes', `metrics.otlp-endpoint=${endpoint}`),
        ...set('metrics.otlp-interval-secs=1', 'http.redis-exporter-names=yes'),
        ...set('latency-bands.enabled=yes', 'latency.monitor-threshold-ms=1'),
        ...set('slowlog.log-slower-than=0'),
      ];
  }
}

/** Requests of those who watch a server, and a client that comes and goes. */
async function lookAtAll({ httpPort, port }: ChildServer, observer: RespClient): Promise<void> {
  await request(httpPort, '/metrics');
  await request(httpPort, '/status/json');
  await observer.pipeline([
    ['SLOWLOG', 'GET', '10'],
    ['LATENCY', 'HISTOGRAM'],
    ['MEMORY', 'STATS'],
  ]);
  await new Promise<void>((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', reject);
    socket.on('close', () => {
      resolve();
    });
    socket.once('data', () => socket.end());
    socket.write(resp('PING'));
  });
}

async function sampleOf(server: ChildServer, client: RespClient, ms: number): Promise<Sample> {
  const text = textOf(await client.call('INFO', 'cpu'));
  const heaps = new Map<string, number>();
  for (const [, thread, fields] of text.matchAll(/^thread_(\w+):(.*)\r$/gm)) {
    const bytes = [...fields!.matchAll(/(?:heap|external)=(\d+)/g)];
    heaps.set(
      thread!,
      bytes.reduce((sum, [, each]) => sum + Number(each), 0),
    );
  }
  return { ms, rssBytes: residentBytes(server.pid), heaps };
}

/** Every key that the load writes is there from the beginning, at the size that it stays at. */
async function fillAll(client: RespClient): Promise<void> {
  for (let from = 0; from < KEYS; from += 1_000) {
    await client.pipeline(
      Array.from({ length: 1_000 }, (_, nth) => ['SET', keyOf(from + nth), VALUE]),
    );
  }
  await client.call('RPUSH', 'list', VALUE);
}

/** Writes and reads of the same keys, at a fixed rate, and fewer when the server is late. */
class PacedLoad {
  readonly #sockets: readonly net.Socket[];
  readonly #timer: NodeJS.Timeout;
  readonly #beganMs = performance.now();
  #sent = 0;

  constructor(port: number) {
    this.#sockets = Array.from({ length: CONNECTIONS }, () => {
      const socket = net.connect(port, '127.0.0.1');
      socket.resume();
      return socket;
    });
    this.#timer = setInterval(() => {
      this.#send();
    }, TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  #send(): void {
    const due = ((performance.now() - this.#beganMs) / 1_000) * COMMANDS_PER_SECOND;
    const batches = this.#sockets.map(() => '');
    for (; this.#sent < due; this.#sent += 1) {
      const index = this.#sent % batches.length;
      batches[index] = batches[index]! + commandOf(this.#sent);
    }
    for (const [index, socket] of this.#sockets.entries()) {
      if (batches[index] !== '') socket.write(batches[index]!, 'latin1');
    }
  }
}

/** Draws a command: three of ten write strings, one each writes a hash, a counter and a list, and the others read. */
function commandOf(nth: number): string {
  // A step that has no part in common with the number of keys visits all of them.
  const index = (nth * 7_919) % KEYS;
  const key = keyOf(index);
  switch (nth % 10) {
    case 0:
    case 1:
    case 2:
      return resp('SET', key, VALUE);
    case 3:
      return resp('HSET', `hash:${String(index % 100)}`, `field:${String(nth % 50)}`, VALUE);
    case 4:
      return resp('INCR', `counter:${String(index % 1_000)}`);
    case 5:
      return resp('LSET', 'list', '0', VALUE);
    case 6:
      return resp('MGET', key, keyOf(0), keyOf(1));
    default:
      return resp('GET', key);
  }
}

function judged(samples: readonly Sample[], seconds: number): SoakResult {
  const window = WINDOW_PART * seconds * 1_000;
  const warmMs = WARM_PART * seconds * 1_000;
  const between = (from: number, to: number): readonly Sample[] =>
    samples.filter(({ ms }) => ms >= from && ms < to);
  const warm = between(warmMs, warmMs + window);
  const end = between(seconds * 1_000 - window, Infinity);
  const middle = (of: readonly Sample[], pick: (sample: Sample) => number): number =>
    median(of.map(pick)) / MIB;
  const rss = (sample: Sample): number => sample.rssBytes;
  const [warmMib, endMib] = [middle(warm, rss), middle(end, rss)];
  const growth = (endMib / warmMib - 1) * 100;
  const threads = [...(samples.at(-1)?.heaps.keys() ?? [])];
  return {
    seconds,
    warm_mib: warmMib,
    end_mib: endMib,
    most_mib: Math.max(...samples.map(rss)) / MIB,
    growth_percent: growth,
    is_flat: growth <= GROWTH_PERCENT_MAX,
    heaps_mib: Object.fromEntries(
      threads.map((thread) => {
        const heap = (sample: Sample): number => sample.heaps.get(thread) ?? 0;
        return [thread, [middle(warm, heap), middle(end, heap)] as const];
      }),
    ),
  };
}
