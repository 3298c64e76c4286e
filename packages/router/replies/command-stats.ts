/** Statistics of the commands that main replies to: those it executes itself, and those it gathers from shards. */

import type { Clock, ByLogKind } from '#base';
import { type Arguments, type CommandEntry, commandTable } from '#commands';
import {
  KeptArguments,
  LARGE_COUNTERS,
  type LatencyEvents,
  type MainBands,
  type Page,
  requestBytesFrom,
  type SlowClient,
  type SlowCommand,
  type SlowLog,
  TICKS_PER_US,
} from '#stats';
import type { Client } from '../clients/client.ts';
import type { Gather } from './gather.ts';
import type { KeptCommand } from './kept-command.ts';

/** Notes of main on what took long. */
export interface MainNotes {
  readonly logs: ByLogKind<SlowLog>;
  readonly latency: LatencyEvents;
  readonly bands: MainBands;
}

/** Most spare memory that is kept, of some 4 KiB each. */
const SPARE_MAX = 1_024;

/** Main's own commands are counted with the first shard, as commands without keys are. */
const SHARD_OF_MAIN = 0;

/** Command that the latency bands leave out, so that reading them does not change them. */
const NOT_IN_BANDS = commandTable.byName('LATENCY|BANDS');

/** A command that is answered later. */
export interface Pending {
  readonly kept: KeptCommand;
  readonly executeUs: number;
  readonly database: number;
}

/** Kinds of logs by size. */
const LARGE_KINDS = ['large-request', 'large-reply'] as const;

/** Time of a command, and the bytes of its reply; 0 if none is sent. */
interface RanFigures {
  readonly executeUs: number;
  readonly replyBytes: number;
}

type Times = Pick<SlowCommand, 'executeUs' | 'queueUs' | 'durableUs' | 'database'>;

export class CommandStats {
  readonly #page: Page;
  readonly #clock: Clock;
  readonly #notes: MainNotes;
  /** Memory for arguments of commands that are answered. */
  readonly #spare: KeptCommand[] = [];

  constructor(page: Page, clock: Clock, notes: MainNotes) {
    this.#page = page;
    this.#clock = clock;
    this.#notes = notes;
  }

  /** Counts one of main's own commands. */
  ran(entry: CommandEntry, executeUs: number): void {
    const { latency, bands } = this.#notes;
    this.#page.executed(entry.countedAs, executeUs * TICKS_PER_US);
    if (entry !== NOT_IN_BANDS) bands.count(executeUs, SHARD_OF_MAIN);
    if (executeUs >= latency.thresholdUs) {
      latency.record('command', executeUs, this.#clock.wallMs());
    }
  }

  /** Logs one of main's own commands, which is answered, if it was slow or large. */
  logRan(client: Client, entry: CommandEntry, args: Arguments, figures: RanFigures): void {
    const { logs } = this.#notes;
    const { executeUs, replyBytes } = figures;
    const requestBytes = requestBytesFrom(args, logs['large-request'].threshold);
    const isLarge = requestBytes > 0 || replyBytes >= logs['large-reply'].threshold;
    if ((executeUs < logs.slow.threshold && !isLarge) || entry.skipsSlowLog) return;
    const kept = this.#keep(entry, args, requestBytes);
    const { database } = client.session;
    this.#log(client, { executeUs, queueUs: 0, durableUs: 0, database }, kept, replyBytes);
  }

  /** Logs a command that is answered by its sizes alone: its time is none of main's. */
  logSizes(client: Client, entry: CommandEntry, args: Arguments, replyBytes: number): void {
    const kept = this.keep(entry, args);
    if (kept === undefined) return;
    const { database } = client.session;
    this.#logSizes(client, { executeUs: 0, queueUs: 0, durableUs: 0, database }, kept, replyBytes);
    this.#spare.push(kept);
  }

  /** Returns what must be kept of a command that is answered later, if it may be logged then. */
  postpone(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    executeUs: number,
  ): Pending | undefined {
    const kept = this.keep(entry, args);
    return kept && { kept, executeUs, database: client.session.database };
  }

  logPostponed(client: Client, { kept, executeUs, database }: Pending, replyBytes: number): void {
    this.#log(client, { executeUs, queueUs: 0, durableUs: 0, database }, kept, replyBytes);
  }

  /** A command that may turn out slow, or large; nothing when none is logged. */
  keep(entry: CommandEntry, args: Arguments): KeptCommand | undefined {
    if (entry.skipsSlowLog) return undefined;
    const { logs } = this.#notes;
    const requestBytes = requestBytesFrom(args, logs['large-request'].threshold);
    if (!logs.slow.isOn && !logs['large-reply'].isOn && requestBytes === 0) return undefined;
    return this.#keep(entry, args, requestBytes);
  }

  #keep(entry: CommandEntry, args: Arguments, requestBytes: number): KeptCommand {
    const kept = this.#spare.pop() ?? { args: new KeptArguments(), requestBytes };
    kept.requestBytes = requestBytes;
    kept.args.keep(args, entry.secretsOf(args), this.#notes.logs.slow.argumentBytesMax);
    return kept;
  }

  /** Counts a command whose parts are all there: its time is that of the slowest. */
  gathered(gather: Gather, replyBytes: number): void {
    const { bands } = this.#notes;
    const { client, commandId, database, queueUs, durableUs, executeTicks, kept } = gather;
    const executeUs = executeTicks / TICKS_PER_US;
    this.#page.executed(commandTable.entries[commandId]!.countedAs, executeTicks);
    this.#page.gathered(Math.max(0, this.#clock.nowUs() - gather.sinceUs));
    bands.count(queueUs + executeUs + durableUs, gather.slowestShard);
    if (kept === undefined) return;
    this.#log(client, { executeUs, queueUs, durableUs, database }, kept, replyBytes);
  }

  /** Logs a kept command where its time or a size requires it. */
  #log(client: Client, times: Times, kept: KeptCommand, replyBytes: number): void {
    const { slow } = this.#notes.logs;
    if (times.executeUs >= slow.threshold) {
      slow.add(this.#asLogged(client, times), kept.args);
      this.#page.slow(times.executeUs);
    }
    this.#logSizes(client, times, kept, replyBytes);
    if (this.#spare.length < SPARE_MAX) this.#spare.push(kept);
  }

  #logSizes(client: Client, times: Times, kept: KeptCommand, replyBytes: number): void {
    const { logs } = this.#notes;
    const sizes = { 'large-request': kept.requestBytes, 'large-reply': replyBytes };
    for (const kind of LARGE_KINDS) {
      const bytes = sizes[kind];
      // A reply that was not sent has no bytes.
      if (bytes === 0 || bytes < logs[kind].threshold) continue;
      logs[kind].add({ ...this.#asLogged(client, times), bytes }, kept.args);
      this.#page.add(LARGE_COUNTERS[kind], 1);
    }
  }

  #asLogged(client: Client, times: Times): SlowCommand {
    return { ...times, unixMs: this.#clock.wallMs(), client: asSlowClient(client) };
  }
}

/** Returns the present identity of a client; what a script calls has no address, as in Redis. */
export function asSlowClient({ id, socket, session }: Client): SlowClient {
  const { name, user } = session;
  return { id, address: id === 0 ? '' : socket.remoteAddress, name, user };
}
