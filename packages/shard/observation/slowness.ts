/** Records slow commands, large requests and replies, and events for LATENCY. */

import { type ByLogKind, COMMAND_LOG_KINDS } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import {
  commandLogCalls,
  commandLogs,
  configureLogs,
  LARGE_COUNTERS,
  LATENCY_EVENTS,
  type LatencyEvent,
  type Page,
  type SlowClient,
  type SlowCommand,
  type SlowLog,
  type TakeLogIds,
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
  readonly takeLogIds: TakeLogIds;
}

export class Slowness {
  /** Commands that took less need not be looked at. */
  noticeUs = Infinity;
  readonly #page: Page;
  readonly logs: ByLogKind<SlowLog>;
  readonly slowLog: SlowLog;
  readonly #users: ShardUsers;
  readonly #clients: Introduced[] = [];
  /** Commands that the slow log points at. */
  readonly ring: RingCommands;
  /** Commands that take at least this many microseconds are reported to main. */
  eventUs = Infinity;
  #pending: Occurrence[] = [];

  constructor(options: SlownessOptions, users: ShardUsers) {
    const { page, index, memory, requests, takeLogIds } = options;
    this.ring = new RingCommands(memory, requests, (slot) => this.clientIn(slot));
    this.#users = users;
    this.#page = page;
    this.logs = commandLogs(index, takeLogIds, this.ring);
    this.slowLog = this.logs.slow;
  }

  apply(settings: Settings): void {
    configureLogs(this.logs, settings);
    this.eventUs = settings.number('latency.monitor-threshold-ms') * 1_000 || Infinity;
    this.noticeUs = Math.min(this.slowLog.threshold, this.eventUs);
  }

  answer(answerers: CallAnswerers): void {
    for (const kind of COMMAND_LOG_KINDS) {
      const log = this.logs[kind];
      const calls = commandLogCalls[kind];
      answerers.on(calls.entries, ({ fromId, count }) => log.newest(fromId, count));
      answerers.on(calls.reset, ({ beforeId }) => {
        log.reset(beforeId);
        return null;
      });
    }
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
    return executeUs >= this.slowLog.threshold && !entry.skipsSlowLog;
  }

  /** Logs a command with a copy of its arguments; returns the number of its entry. */
  log(entry: CommandEntry, args: Arguments, command: SlowCommand): number {
    this.#page.slow(command.executeUs);
    return this.slowLog.log(command, args, entry.secretsOf(args));
  }

  /** Logs a command with a large request or reply, with a copy of its arguments; returns the number of its entry. */
  logLarge(
    kind: keyof typeof LARGE_COUNTERS,
    entry: CommandEntry,
    args: Arguments,
    command: SlowCommand,
  ): number {
    this.#page.add(LARGE_COUNTERS[kind], 1);
    return this.logs[kind].log(command, args, entry.secretsOf(args));
  }

  /** Copies arguments that do not stay in the ring once its frames are released. */
  settle(): void {
    this.slowLog.settle();
  }

  /** Reports an event to main if it took long. */
  occurred(event: LatencyEvent, us: number, unixMs: number): void {
    if (us >= this.eventUs) this.#pending.push({ event, us, unixMs });
  }

  /** Ends a batch: assigns ids to entries of the logs and reports to main. Not while a reply is being written. */
  send(sender: ReplySender): void {
    for (const kind of COMMAND_LOG_KINDS) this.logs[kind].number();
    if (this.#pending.length === 0) return;
    for (const { event, us, unixMs } of this.#pending) {
      const body = Float64Array.of(LATENCY_EVENTS.indexOf(event), us, unixMs);
      sender.send(FrameKind.latency, 0, 0, new Uint8Array(body.buffer));
    }
    this.#pending = [];
  }
}
