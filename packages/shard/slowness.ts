/** What a shard notes of whatever took long: slow commands, and occurrences that LATENCY tells of. */

import type { Arguments, CommandEntry } from '#commands';
import {
  LATENCY_EVENTS,
  SlowLog,
  slowEntriesTopic,
  slowResetTopic,
  type LatencyEvent,
  type Page,
  type SlowClient,
} from '#diag';
import { decodeMessage, FrameKind, Request } from '#link';
import type { Frame } from './frame.ts';
import type { Questions } from './questions.ts';
import type { ReplySender } from './reply-sender.ts';
import type { Settings } from './settings.ts';

/** How a command went. */
export interface CommandTimes {
  readonly executeUs: number;
  readonly queueUs: number;
  readonly unixMs: number;
  readonly database: number;
  readonly connection: number;
}

interface Occurrence {
  readonly event: LatencyEvent;
  readonly us: number;
  readonly unixMs: number;
}

/** Main introduces every client before its first command. */
const STRANGER: SlowClient = { id: 0, address: '', name: '', user: '' };

export class Slowness {
  /** Commands that took less need not be looked at. */
  noticeUs = Infinity;
  readonly #page: Page;
  readonly #log: SlowLog;
  readonly #clients: SlowClient[] = [];
  #eventUs = Infinity;
  #pending: Occurrence[] = [];

  constructor(shard: number, page: Page, nextId: () => number) {
    this.#page = page;
    this.#log = new SlowLog(shard, nextId);
  }

  apply(settings: Settings): void {
    this.#log.configure({
      slowerThanUs: settings.number('slowlog-log-slower-than'),
      lengthMax: settings.number('slowlog-max-len'),
      argumentBytesMax: settings.number('slowlog-max-arg-len'),
    });
    this.#eventUs = settings.number('latency-monitor-threshold') * 1_000 || Infinity;
    this.noticeUs = Math.min(this.#log.slowerThanUs, this.#eventUs);
  }

  answer(questions: Questions): void {
    questions.on(slowEntriesTopic, ({ fromId, count }) => this.#log.newest(fromId, count));
    questions.on(slowResetTopic, ({ beforeId }) => {
      this.#log.reset(beforeId);
      return null;
    });
  }

  /** Main says who the client in a slot is. */
  introduce(frame: Frame): void {
    const slot = frame.words[frame.word + Request.connection]!;
    this.#clients[slot] = decodeMessage(frame.body) as SlowClient;
  }

  /** Who is in a slot. */
  clientOf(slot: number): SlowClient {
    return this.#clients[slot] ?? STRANGER;
  }

  /** A command took at least `noticeUs`. */
  command(entry: CommandEntry, args: Arguments, times: CommandTimes): void {
    const { executeUs, queueUs, unixMs, database, connection } = times;
    this.occurred('command', executeUs, unixMs);
    const log = this.#log;
    if (executeUs < log.slowerThanUs || entry.skipsSlowLog) return;
    const kept = log.spareArguments();
    kept.keep(args, entry.secretsOf(args), log.argumentBytesMax);
    const client = this.clientOf(connection);
    log.add({ unixMs, executeUs, queueUs, durableUs: 0, database, client }, kept);
    this.#page.slow(executeUs);
  }

  /** Something was done; main is told if it took long. */
  occurred(event: LatencyEvent, us: number, unixMs: number): void {
    if (us >= this.#eventUs) this.#pending.push({ event, us, unixMs });
  }

  /** Tells main; not while a reply is being written. */
  send(sender: ReplySender): void {
    if (this.#pending.length === 0) return;
    for (const { event, us, unixMs } of this.#pending) {
      const body = Float64Array.of(LATENCY_EVENTS.indexOf(event), us, unixMs);
      sender.send(FrameKind.latency, 0, 0, new Uint8Array(body.buffer));
    }
    this.#pending = [];
  }
}
