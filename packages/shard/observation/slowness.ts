/** Notes of a shard on whatever took long: slow commands, and occurrences that LATENCY tells of. */

import type { Arguments, CommandEntry } from '#commands';
import {
  LATENCY_EVENTS,
  type KeptCommand,
  type SlowLog,
  slowEntriesCall,
  slowResetCall,
  type LatencyEvent,
  type Page,
  type SlowClient,
} from '#stats';
import { decodeMessage, FrameKind, Request } from '#link';
import type { Frame } from '../execution/frame.ts';
import type { CallAnswerers } from '../call-answerers.ts';
import type { ReplySender } from '../execution/reply-sender.ts';
import type { ShardUsers } from '../access/shard-users.ts';
import type { Settings } from '../settings.ts';

/** Times of a command; one object, filled anew for each, since with a limit of 0 every command is slow. */
export class CommandTimes {
  executeUs = 0.5;
  queueUs = 0.5;
  unixMs = 0.5;
  database = 0;
  connection = 0;

  /** Fills in the times of the command that a context is pointed at. */
  of(
    executeUs: number,
    queueUs: number,
    unixMs: number,
    { database, connection }: { readonly database: number; readonly connection: number },
  ): this {
    this.executeUs = executeUs;
    this.queueUs = queueUs;
    this.unixMs = unixMs;
    this.database = database;
    this.connection = connection;
    return this;
  }
}

interface Occurrence {
  readonly event: LatencyEvent;
  readonly us: number;
  readonly unixMs: number;
}

/** A client as main introduces it. */
interface Introduced extends SlowClient {
  readonly userRow: number;
}

/** Main introduces every client before its first command. */
const STRANGER: SlowClient = { id: 0, address: '', name: '', user: '' };

export class Slowness {
  /** Commands that took less need not be looked at. */
  noticeUs = Infinity;
  readonly #page: Page;
  readonly #log: SlowLog<Arguments>;
  readonly #users: ShardUsers;
  readonly #clients: SlowClient[] = [];
  #eventUs = Infinity;
  #pending: Occurrence[] = [];

  constructor(page: Page, log: SlowLog<Arguments>, users: ShardUsers) {
    this.#users = users;
    this.#page = page;
    this.#log = log;
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

  answer(answerers: CallAnswerers): void {
    answerers.on(slowEntriesCall, ({ fromId, count }) => this.#log.newest(fromId, count));
    answerers.on(slowResetCall, ({ beforeId }) => {
      this.#log.reset(beforeId);
      return null;
    });
  }

  /** Returns the client in a slot. */
  clientIn(slot: number): SlowClient {
    return this.#clients[slot] ?? STRANGER;
  }

  /** Main says who the client in a slot is. */
  introduce(frame: Frame): void {
    const slot = frame.words[frame.word + Request.connection]!;
    const client = decodeMessage(frame.body) as Introduced;
    this.#clients[slot] = client;
    this.#users.introduce(slot, client);
  }

  /** A command that a script calls took at least `noticeUs`: its client has no address and no name, as in Redis. */
  called(entry: CommandEntry, args: Arguments, times: CommandTimes): void {
    const { user } = this.clientIn(times.connection);
    this.command(entry, args, times, { id: 0, address: '', name: '', user });
  }

  /** A command took at least `noticeUs`; answers its entry in the slow log, where it has one. */
  command(
    entry: CommandEntry,
    args: Arguments,
    times: CommandTimes,
    client = this.clientIn(times.connection),
  ): KeptCommand | undefined {
    const { executeUs } = times;
    this.occurred('command', executeUs, times.unixMs);
    const log = this.#log;
    if (executeUs < log.slowerThanUs || entry.skipsSlowLog) return undefined;
    const kept = log.next();
    kept.unixMs = times.unixMs;
    kept.executeUs = executeUs;
    kept.queueUs = times.queueUs;
    kept.database = times.database;
    kept.client = client;
    log.keepArguments(kept, args, entry.secretsOf(args));
    this.#page.slow(executeUs);
    return kept;
  }

  /** Something was done; main is told if it took long. */
  occurred(event: LatencyEvent, us: number, unixMs: number): void {
    if (us >= this.#eventUs) this.#pending.push({ event, us, unixMs });
  }

  /** Ends a batch: what was logged gets its ids, and main is told. Not while a reply is being written. */
  send(sender: ReplySender): void {
    this.#log.number();
    if (this.#pending.length === 0) return;
    for (const { event, us, unixMs } of this.#pending) {
      const body = Float64Array.of(LATENCY_EVENTS.indexOf(event), us, unixMs);
      sender.send(FrameKind.latency, 0, 0, new Uint8Array(body.buffer));
    }
    this.#pending = [];
  }
}
