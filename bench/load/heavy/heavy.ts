/** Commands with big values beside Redis: processor time of each call, and the ratio. */

import { once } from 'node:events';
import net from 'node:net';
import { type ChildServer, encodeCommand, startRedis, startServer } from '#testkit';
import { filling, HEAVY_CASES, type HeavyCase, type Words } from './cases.ts';
import { isInstalled } from '../machine.ts';
import { threadCpu } from '../thread-cpu.ts';

/** Unmeasured calls before the measurement, in which functions get compiled: minimum time and number. */
const WARM_MS = 200;
const WARM_CALLS_MIN = 3;
/** Minimum number of unmeasured calls if they are pipelined. */
const WARM_SENDS_MIN = 10;
const WARM_CALLS_MAX = 300;
/** Turns of each case, and the calls of one: minimum time and number. */
const TURNS = 2;
const TURN_MS = 100;
/** Number of cases of which a quick run plays one. */
const QUICK_PART = 5;
const TURN_CALLS_MIN = 2;
const TURN_CALLS_MAX = 2_000;
/** Commands of the filling that are sent at once. */
const FILLED_AT_ONCE = 100;
const END_MARK = 'end-of-the-replies';

interface HeavyFigures {
  /** Processor time of a call here by that of Redis. */
  readonly ratio: number;
  readonly svc_us: number;
  readonly redis_us: number;
}

type Row = (cells: readonly (string | number)[]) => void;

/** Connection that reads replies without parsing them, since long ones would take this process longer than the server. */
class PlainClient {
  readonly #socket: net.Socket;
  #tail = '';
  #received: Buffer[] | undefined;
  #finish: (() => void) | undefined;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  static async connect(port: number): Promise<PlainClient> {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new PlainClient(socket);
  }

  /** Sends encoded commands that end with the mark, and waits for all replies. */
  send(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#finish = resolve;
      this.#socket.write(bytes);
    });
  }

  /** Returns a reply that is one bulk string. */
  async bulk(words: Words): Promise<Buffer> {
    const received: Buffer[] = [];
    this.#received = received;
    await this.send(marked([words]));
    this.#received = undefined;
    const reply = Buffer.concat(received);
    const start = reply.indexOf('\r\n') + 2;
    return reply.subarray(start, start + Number(reply.toString('latin1', 1, start - 2)));
  }

  end(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received?.push(chunk);
    const end = chunk.toString('latin1', Math.max(chunk.length - END_MARK.length - 2, 0));
    this.#tail = (this.#tail + end).slice(-END_MARK.length - 2);
    if (!this.#tail.startsWith(END_MARK)) return;
    this.#tail = '';
    this.#finish?.();
  }
}

/** Encodes commands and one that replies with the mark. */
function marked(commands: readonly Words[]): Buffer {
  return Buffer.concat([...commands, ['ECHO', END_MARK]].map((words) => encodeCommand(words)));
}

/** A server with all data, and its connection. */
class Contender {
  readonly #server: ChildServer;
  readonly #client: PlainClient;
  #repeats = 1;
  #calls = 0;
  #ns = 0;

  private constructor(server: ChildServer, client: PlainClient) {
    this.#server = server;
    this.#client = client;
  }

  static async start(server: ChildServer, databases: readonly number[]): Promise<Contender> {
    const client = await PlainClient.connect(server.port);
    for (const database of databases) {
      await client.send(marked([['SELECT', String(database)]]));
      const commands = filling(database);
      for (let first = 0; first < commands.length; first += FILLED_AT_ONCE) {
        await client.send(marked(commands.slice(first, first + FILLED_AT_ONCE)));
      }
    }
    return new Contender(server, client);
  }

  /** Returns what is sent for each call of a case, after calls that warm it up. */
  async prepare({ commands, database = 0, repeats = 1, restores }: HeavyCase): Promise<Buffer> {
    await this.#client.send(marked([['SELECT', String(database)]]));
    const all = [...commands];
    if (restores !== undefined) {
      const payload = await this.#client.bulk(['DUMP', restores]);
      all.push(['RESTORE', 'restored', '0', payload, 'REPLACE']);
    }
    const call = marked(Array.from({ length: repeats }, () => all).flat());
    this.#repeats = repeats;
    const least = repeats > 1 ? WARM_SENDS_MIN : WARM_CALLS_MIN;
    await this.#play(call, WARM_MS, least, WARM_CALLS_MAX);
    this.#calls = 0;
    this.#ns = 0;
    return call;
  }

  /** Plays a turn of calls, which are added to the mean. */
  async turn(call: Buffer): Promise<void> {
    const before = this.#cpuNs();
    this.#calls += await this.#play(call, TURN_MS, TURN_CALLS_MIN, TURN_CALLS_MAX);
    this.#ns += this.#cpuNs() - before;
  }

  /** Processor microseconds of a call, in the turns since it was prepared. */
  get meanUs(): number {
    return this.#ns / this.#calls / this.#repeats / 1_000;
  }

  async stop(): Promise<void> {
    this.#client.end();
    await this.#server.stop();
  }

  async #play(call: Buffer, forMs: number, least: number, most: number): Promise<number> {
    const sinceMs = performance.now();
    let calls = 0;
    while (calls < least || (calls < most && performance.now() - sinceMs < forMs)) {
      await this.#client.send(call);
      calls += 1;
    }
    return calls;
  }

  /** Nanoseconds of all threads of the process. */
  #cpuNs(): number {
    let sum = 0;
    for (const ns of threadCpu(this.#server.pid).values()) sum += ns;
    return sum;
  }
}

/** Plays each case against both by turns; one shard, since Redis has one thread as well. */
export async function heavy(
  isQuick: boolean,
  row: Row,
  report: Record<string, unknown>,
): Promise<void> {
  if (!isInstalled('redis-server')) return;
  const chosen = HEAVY_CASES.filter((_, nth) => !isQuick || nth % QUICK_PART === 0);
  const databases = [...new Set(chosen.map(({ database = 0 }) => database))];
  const args = ['--log-level', 'warn', '--set', 'persistence.enabled=no'];
  const svc = await Contender.start(await startServer({ shards: 1, args }), databases);
  const redis = await Contender.start(await startRedis(), databases);
  const table: Record<string, HeavyFigures> = {};
  row(['heavy', 'svc/redis', 'svc us', 'redis us']);
  for (const each of chosen) {
    const figures = await compared(svc, redis, each, isQuick ? 1 : TURNS);
    table[each.name] = figures;
    const { ratio, svc_us: svcUs, redis_us: redisUs } = figures;
    row([each.name, ratio, svcUs.toFixed(1), redisUs.toFixed(1)]);
  }
  report['heavy'] = table;
  await Promise.all([svc.stop(), redis.stop()]);
}

async function compared(
  svc: Contender,
  redis: Contender,
  each: HeavyCase,
  turns: number,
): Promise<HeavyFigures> {
  const ours = await svc.prepare(each);
  const theirs = await redis.prepare(each);
  for (let turn = 0; turn < turns; turn += 1) {
    await svc.turn(ours);
    await redis.turn(theirs);
  }
  return { ratio: svc.meanUs / redis.meanUs, svc_us: svc.meanUs, redis_us: redis.meanUs };
}
