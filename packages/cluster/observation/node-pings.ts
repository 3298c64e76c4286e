/**
 * Latency between nodes, measured: this node sends PING to each of the others over a connection of its own, once a second,
 * and reads the clock before and behind it. What the main threads of both were busy with is part of it.
 */

import type { NodeLatencyReport } from '#api-types';
import { type Clock, everySecond } from '#base';
import type { Settings } from '#config';
import { ReplyConnection } from '#net';
import { commandBytes } from '#resp';
import { connectToPrimary } from '#replication';
import { nodeLogin } from '../messages/node-login.ts';

/** Milliseconds from the full second to the pings: what all timers of a second do is not part of the latency. */
const PING_DELAY_MS = 500;
/** Longest wait for an answer. */
const ANSWER_MS_MAX = 2_000;
/** Number of replies from which the figures are computed. */
const SAMPLES_MAX = 60;
/** Pings between two questions of how many keys there are. */
const PINGS_PER_COUNT = 5;

/** Node to be pinged. */
export interface NodePlace {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  /** It is reached with TLS, as links of replicas are. */
  readonly isSecure: boolean;
}

interface LatencySample {
  /** Unix milliseconds. */
  readonly timeMs: number;
  readonly us: number;
}

interface NodePingsOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  /** The other nodes with a lease. */
  readonly places: () => readonly NodePlace[];
}

export class NodePings {
  readonly #options: NodePingsOptions;
  readonly #links = new Map<string, PingedNode>();
  #stopTimer: () => void = () => undefined;
  #pinging: NodeJS.Timeout | undefined;

  constructor(options: NodePingsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopTimer = everySecond(() => {
      this.#look();
    });
  }

  stop(): void {
    this.#stopTimer();
    clearTimeout(this.#pinging);
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
  }

  /** Figures of a node; null where it was not pinged. */
  report(node: string): NodeLatencyReport | null {
    return this.#links.get(node)?.report ?? null;
  }

  /** Round-trip times of the last minute, oldest first. */
  samples(node: string): readonly LatencySample[] {
    return this.#links.get(node)?.samples ?? [];
  }

  /** Keys of a node, as it has answered last; null where it has not. */
  keys(node: string): number | null {
    return this.#links.get(node)?.keys ?? null;
  }

  #look(): void {
    const places = new Map(this.#options.places().map((place) => [place.id, place]));
    for (const [id, link] of this.#links) {
      const place = places.get(id);
      if (place !== undefined && link.isAt(place)) continue;
      link.close();
      this.#links.delete(id);
    }
    for (const [id, place] of places) {
      if (!this.#links.has(id)) this.#links.set(id, new PingedNode(this.#options, place));
    }
    if (this.#links.size === 0) return;
    this.#pinging = setTimeout(() => {
      for (const link of this.#links.values()) void link.ping();
    }, PING_DELAY_MS);
  }
}

/** Another node, and the pings to it. */
class PingedNode {
  readonly #options: NodePingsOptions;
  readonly #place: NodePlace;
  #connection: ReplyConnection | undefined;
  #isBusy = false;
  #isClosed = false;
  #pings = 0;
  #failures = 0;
  #problem: string | null = null;
  samples: LatencySample[] = [];
  keys: number | null = null;

  constructor(options: NodePingsOptions, place: NodePlace) {
    this.#options = options;
    this.#place = place;
  }

  isAt({ host, port, isSecure }: NodePlace): boolean {
    const place = this.#place;
    return place.host === host && place.port === port && place.isSecure === isSecure;
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
  }

  get report(): NodeLatencyReport {
    const { samples } = this;
    const times = samples.map(({ us }) => us);
    const last = samples.at(-1);
    const isNone = last === undefined;
    const nowMs = this.#options.clock.wallMs();
    return {
      last_us: last?.us ?? null,
      min_us: isNone ? null : Math.min(...times),
      avg_us: isNone ? null : Math.round(times.reduce((sum, us) => sum + us, 0) / times.length),
      max_us: isNone ? null : Math.max(...times),
      samples: samples.length,
      pings: this.#pings,
      failures: this.#failures,
      answered_ago_ms: isNone ? null : Math.max(0, Math.round(nowMs - last.timeMs)),
      problem: this.#problem,
    };
  }

  /** Pings once, unless the last ping is still waited for. */
  async ping(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      const problem = await this.#ping();
      if (this.#isClosed) {
        // It may have been established after the end: otherwise it would stay open, and keep the process running.
        this.#connection?.close();
        return;
      }
      this.#problem = problem ?? null;
      if (problem !== undefined) this.#lost();
    } finally {
      this.#isBusy = false;
    }
  }

  #lost(): void {
    this.#failures += 1;
    this.keys = null;
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Sends a PING; returns the problem, or undefined. */
  async #ping(): Promise<string | undefined> {
    const { clock } = this.#options;
    this.#pings += 1;
    this.#connection ??= await this.#open();
    const connection = this.#connection;
    if (connection === undefined) return 'connection failed';
    const beganUs = clock.nowUs();
    await connection.write(PING);
    const { end } = await connection.reply();
    // An error is an answer as well: it went there and back.
    if (end !== undefined) return ENDS[end];
    const us = Math.max(0, Math.round(clock.nowUs() - beganUs));
    this.samples = [...this.samples, { timeMs: clock.wallMs(), us }].slice(-SAMPLES_MAX);
    if (this.#pings % PINGS_PER_COUNT === 1) await this.#count(connection);
    return undefined;
  }

  async #count(connection: ReplyConnection): Promise<void> {
    await connection.write(commandBytes(['DBSIZE']));
    const answer = await connection.reply();
    const keys = answer.end === undefined ? answer.reply : undefined;
    this.keys = typeof keys === 'number' ? keys : null;
  }

  async #open(): Promise<ReplyConnection | undefined> {
    const { settings } = this.#options;
    const { host, port, isSecure } = this.#place;
    const connect = isSecure
      ? (to: string, at: number) => connectToPrimary(settings, to, at)
      : undefined;
    const connection = await ReplyConnection.open(host, port, ANSWER_MS_MAX, connect);
    if (connection === undefined) return undefined;
    const login = loginOf(settings);
    if (login.length > 0) {
      await connection.write(commandBytes(login));
      await connection.reply();
    }
    await connection.write(commandBytes(['CLIENT', 'SETNAME', 'cluster-ping']));
    await connection.reply();
    return connection;
  }
}

/** Words of AUTH; none where there is no password, or its file cannot be read: the answer is timed all the same. */
function loginOf(settings: Settings): readonly string[] {
  try {
    return nodeLogin(settings);
  } catch {
    return [];
  }
}

const PING = commandBytes(['PING']);

const ENDS = {
  timeout: 'no reply in time',
  closed: 'the connection was closed',
} as const;
