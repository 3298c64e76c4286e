/**
 * Chains of three servers, of svc and Redis, each the replica of the one before, under random writes and outages of both
 * links: when all links are up and all have the same offset, all have the same data.
 */
import {
  type ChildServer,
  contentsOf,
  LinkProxy,
  Random,
  ReplyError,
  type RespClient,
  startRedis,
  startServer,
  textOf,
  until,
} from '#testkit';
import { expiresSoon } from '../brief.ts';
import { Draw } from '../draw.ts';
import { hash } from '../families/hash.ts';
import { keyspace } from '../families/keyspace.ts';
import { list } from '../families/list.ts';
import { set } from '../families/set.ts';
import { sortedSet } from '../families/sorted-set.ts';
import { stream } from '../families/stream.ts';
import { string } from '../families/string.ts';
import { isStep, step, type Step, type Words } from '../family.ts';
import type { KnownDifferences } from '../known.ts';

const SERVERS = 3;
/** Commands between two events, and of one chain. */
const BURST = 100;
const COMMANDS = 3_000;
const LINES_MAX = 6;

const SVC_ARGS = [
  ...['--set', 'replication.diskless-sync-delay-secs=0'],
  ...['--set', 'replication.ping-period-secs=3600'],
];
const REDIS_ARGS = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '3600'];

/** Sorts leave it to each server which elements they read as numbers, and set members come in any order. */
const families = [string, keyspace, hash, set, list, sortedSet, stream];
const makers = families.flatMap((family) => family.makers);

type Kind = 'svc' | 'redis';

class Chain {
  readonly kinds: readonly Kind[];
  readonly #draw: Draw;
  readonly #known: KnownDifferences;
  readonly #servers: ChildServer[] = [];
  readonly #links: LinkProxy[] = [];
  readonly #clients: RespClient[] = [];

  constructor(draw: Draw, known: KnownDifferences) {
    this.#draw = draw;
    this.#known = known;
    const kinds = Array.from({ length: SERVERS }, () => draw.random.pick<Kind>(['svc', 'redis']));
    // One of Redis alone would show nothing.
    if (!kinds.includes('svc')) kinds[draw.random.integer(0, SERVERS - 1)] = 'svc';
    this.kinds = kinds;
  }

  async start(): Promise<void> {
    for (const kind of this.kinds) {
      const shards = this.#draw.random.integer(1, 3);
      const server = await (kind === 'svc'
        ? startServer({ shards, args: SVC_ARGS })
        : startRedis(REDIS_ARGS));
      this.#servers.push(server);
      this.#clients.push(await server.client({ buffers: true }));
    }
    for (let nth = 1; nth < SERVERS; nth += 1) {
      const link = await LinkProxy.to(this.#servers[nth - 1]!.port);
      this.#links.push(link);
      await this.#clients[nth]!.call('REPLICAOF', '127.0.0.1', String(link.port));
    }
    await this.#untilSame();
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) await server.stop();
    for (const link of this.#links) await link.close();
  }

  async play(commands: number): Promise<void> {
    for (let played = 0; played < commands; played += BURST) {
      await this.#write();
      this.#disturb();
    }
  }

  /** Returns the first lines that are not the same on all servers; none when all have the same. */
  async differences(): Promise<readonly string[]> {
    for (const link of this.#links) link.isClosed = false;
    await this.#untilSame();
    const [wanted = [], ...others] = await Promise.all(
      this.#clients.map((client) => contentsOf(client)),
    );
    return others.flatMap((has, nth) => {
      const of = `${this.kinds[nth + 1]} ${nth + 1}`;
      const lacks = wanted.filter((line) => !has.includes(line)).map((line) => `lacks ${line}`);
      const more = has.filter((line) => !wanted.includes(line)).map((line) => `has ${line}`);
      return [...lacks, ...more].slice(0, LINES_MAX).map((line) => `  ${of} ${line}`);
    });
  }

  /** Writes through the first; replies do not matter. */
  async #write(): Promise<void> {
    const steps = Array.from({ length: BURST }, () => this.#step());
    const sent = steps.flat().filter(({ words }) => !this.#isLeftOut(words));
    const words = sent.map((command) => command.words.map((word) => Buffer.from(word, 'latin1')));
    await this.#clients[0]!.pipeline(words);
  }

  #step(): Step {
    const made = this.#draw.random.weighted(makers)(this.#draw);
    return isStep(made) ? made : step(made);
  }

  #isLeftOut(words: Words): boolean {
    return expiresSoon(words) || this.#known.avoids(words);
  }

  /** Cuts a link, keeps it cut, or lets it come back. */
  #disturb(): void {
    const link = this.#draw.random.pick(this.#links);
    const kind = this.#draw.random.fraction();
    if (kind < 0.3) link.cut();
    else if (kind < 0.6) {
      link.isClosed = true;
      link.cut();
    } else link.isClosed = false;
  }

  async #untilSame(): Promise<void> {
    const isSame = async (): Promise<boolean> => {
      const infos = await Promise.all(this.#clients.map((client) => infoOf(client)));
      const offsets = infos.map((info) => /master_repl_offset:(\d+)/.exec(info)?.[1]);
      const up = infos.slice(1).every((info) => info.includes('master_link_status:up'));
      return up && new Set(offsets).size === 1;
    };
    await until(isSame, 'all links are up, and all servers at the same offset');
  }
}

async function infoOf(client: RespClient): Promise<string> {
  const reply = await client.reply('INFO', 'replication');
  return reply instanceof ReplyError ? '' : textOf(reply);
}

/**
 * Plays `count` commands, on chains of a few thousand each; returns the first difference as text for people, or
 * undefined.
 */
export async function playChains(
  known: KnownDifferences,
  { seed, commands }: { readonly seed: number; readonly commands: number },
): Promise<string | undefined> {
  for (let played = 0, nth = 0; played < commands; nth += 1, played += COMMANDS) {
    const chain = new Chain(new Draw(new Random(seed + nth * 0x9e37_79b1)), known);
    try {
      await chain.start();
      await chain.play(Math.min(COMMANDS, commands - played));
      const lines = await chain.differences();
      if (lines.length === 0) continue;
      return [`of ${chain.kinds.join(', ')}, not all have what the first has`, ...lines].join('\n');
    } finally {
      await chain.stop();
    }
  }
  return undefined;
}
