/** Records slow commands, and events for LATENCY. */

import type { Arguments, CommandEntry } from '#commands';
import {
  LATENCY_EVENTS,
  type LatencyEvent,
  type Page,
  type SlowClient,
  type SlowCommand,
  slowEntriesCall,
  SlowLog,
  slowResetCall,
} from '#stats';
import { decodeMessage, FrameKind, type LinkMemory, Request, type RingReader } from '#link';
import type { Frame } from '../frames/frame.ts';
import { RingCommands } from './ring-commands.ts';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { ShardUsers } from '../access/shard-users.ts';
import type { Settings } from '../settings/settings.ts';

interface Occurrence {
  readonly event: LatencyEvent;
  readonly us: number;
  readonly unixMs: number;
}

/** A client as main introduces it. */
interface Introduced extends SlowClient {
  readonly userRow: number;
  /** It has come by TLS. */
  readonly isSecure?: true;
}

/** Main introduces every client before its first command. */
const STRANGER: SlowClient = { id: 0, address: '', name: '', user: '' };

/** The client of what a script calls: without an address and a name, as in Redis. */
export function calledClient({ user }: SlowClient): SlowClient {
  return { id: 0, address: '', name: '', user };
}

interface SlownessOptions {
  /** Index of the shard. */
  readonly index: number;
  readonly page: Page;
  readonly memory: LinkMemory;
  readonly requests: RingReader;
  /** Reserves `count` consecutive ids; returns the first. */
  readonly takeSlowIds: (count: number) => number;
}

export class Slowness {
  /** Commands that took less need not be looked at. */
  noticeUs = Infinity;
  readonly #page: Page;
  readonly slowLog: SlowLog;
  readonly #users: ShardUsers;
  readonly #clients: Introduced[] = [];
  /** Commands that the slow log points at. */
  readonly ring: RingCommands;
  /** Commands that take at least this many microseconds are reported to main. */
  eventUs = Infinity;
  #pending: Occurrence[] = [];

  constructor(options: SlownessOptions, users: ShardUsers) {
    const { page, index, memory, requests, takeSlowIds } = options;
    this.ring = new RingCommands(memory, requests, (slot) => this.clientIn(slot));
    this.#users = users;
    this.#page = page;
    this.slowLog = new SlowLog(index, takeSlowIds, this.ring);
  }

  apply(settings: Settings): void {
    this.slowLog.configure({
      slowerThanUs: settings.number('slowlog.log-slower-than'),
      lengthMax: settings.number('slowlog.max-len'),
      argumentBytesMax: settings.number('slowlog.max-arg-len'),
    });
    this.eventUs = settings.number('latency.monitor-threshold-ms') * 1_000 || Infinity;
    this.noticeUs = Math.min(this.slowLog.slowerThanUs, this.eventUs);
  }

  answer(answerers: CallAnswerers): void {
    answerers.on(slowEntriesCall, ({ fromId, count }) => this.slowLog.newest(fromId, count));
    answerers.on(slowResetCall, ({ beforeId }) => {
      this.slowLog.reset(beforeId);
      return null;
    });
  }

  /** Returns the client in a slot. */
  clientIn(slot: number): SlowClient {
    return this.#clients[slot] ?? STRANGER;
  }

  /** True for a client that has come by TLS. */
  isSecure(slot: number): boolean {
    return this.#clients[slot]?.isSecure === true;
  }

  /** Sets the client of a slot, as sent by main. */
  introduce(frame: Frame): void {
    const slot = frame.words[frame.word + Request.connection]!;
    const client = decodeMessage(frame.body) as Introduced;
    this.#clients[slot] = client;
    this.#users.introduce(slot, client);
  }

  /** True when a command of this duration gets a slow log entry. */
  isLogged(entry: CommandEntry, executeUs: number): boolean {
    return executeUs >= this.slowLog.slowerThanUs && !entry.skipsSlowLog;
  }

  /** Logs a command with a copy of its arguments; returns the number of its entry. */
  log(entry: CommandEntry, args: Arguments, command: SlowCommand): number {
    this.#page.slow(command.executeUs);
    return this.slowLog.log(command, args, entry.secretsOf(args));
  }

  /** A command that has an entry has waited for the disk. */
  settled(nth: number, durableUs: number): void {
    this.slowLog.setDurable(nth, durableUs);
  }

  /** Copies arguments that do not stay in the ring once its frames are released. */
  settle(): void {
    this.slowLog.settle();
  }

  /** Reports an event to main if it took long. */
  occurred(event: LatencyEvent, us: number, unixMs: number): void {
    if (us >= this.eventUs) this.#pending.push({ event, us, unixMs });
  }

  /** Ends a batch: assigns ids to slow log entries and reports to main. Not while a reply is being written. */
  send(sender: ReplySender): void {
    this.slowLog.number();
    if (this.#pending.length === 0) return;
    for (const { event, us, unixMs } of this.#pending) {
      const body = Float64Array.of(LATENCY_EVENTS.indexOf(event), us, unixMs);
      sender.send(FrameKind.latency, 0, 0, new Uint8Array(body.buffer));
    }
    this.#pending = [];
  }
}
