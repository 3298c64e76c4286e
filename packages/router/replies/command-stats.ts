/** Statistics of the commands that main replies to: those it executes itself, and those it gathers from shards. */

import type { Clock } from '#base';
import { type Arguments, type CommandEntry, commandTable } from '#commands';
import {
  KeptArguments,
  type LatencyEvents,
  type MainBands,
  type Page,
  type SlowClient,
  type SlowCommand,
  type SlowLog,
  TICKS_PER_US,
} from '#stats';
import type { Client } from '../clients/client.ts';
import type { Gather } from './gather.ts';

/** Notes of main on what took long. */
export interface MainNotes {
  readonly slowLog: SlowLog;
  readonly latency: LatencyEvents;
  readonly bands: MainBands;
}

/** Most spare memory that is kept, of some 4 KiB each. */
const SPARE_MAX = 1_024;

/** Main's own commands are counted with the first shard, as commands without keys are. */
const SHARD_OF_MAIN = 0;

/** Command that the latency bands leave out, so that reading them does not change them. */
const NOT_IN_BANDS = commandTable.byName('LATENCY|BANDS');

/** A command that is logged when it is answered. */
export interface Pending {
  readonly entry: CommandEntry;
  readonly args: KeptArguments;
  readonly executeUs: number;
  readonly database: number;
}

export class CommandStats {
  readonly #page: Page;
  readonly #clock: Clock;
  readonly #notes: MainNotes;
  /** Memory for arguments of commands that turned out not to be slow. */
  readonly #spare: KeptArguments[] = [];

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

  /** Logs one of main's own commands, which is answered, if it was slow. */
  logIfSlow(client: Client, entry: CommandEntry, args: Arguments, executeUs: number): void {
    const { slowLog } = this.#notes;
    if (executeUs < slowLog.slowerThanUs || entry.skipsSlowLog) return;
    const { database } = client.session;
    const times = { unixMs: this.#clock.wallMs(), executeUs, queueUs: 0, durableUs: 0 };
    const command = { ...times, database, client: asSlowClient(client) };
    slowLog.log(command, args, entry.secretsOf(args));
    slowLog.number();
    this.#page.slow(executeUs);
  }

  /** Returns what must be kept of a command that is answered later, if it is to be logged then. */
  postpone(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    executeUs: number,
  ): Pending | undefined {
    if (executeUs < this.#notes.slowLog.slowerThanUs || entry.skipsSlowLog) return undefined;
    const kept = this.keep(entry, args);
    if (kept === undefined) return undefined;
    return { entry, args: kept, executeUs, database: client.session.database };
  }

  logPostponed(client: Client, { args, executeUs, database }: Pending): void {
    this.#log(client, { executeUs, queueUs: 0, durableUs: 0, database }, args);
  }

  /** The arguments of a command that may turn out slow; nothing when none is logged. */
  keep(entry: CommandEntry, args: Arguments): KeptArguments | undefined {
    const { slowLog } = this.#notes;
    if (!slowLog.isOn || entry.skipsSlowLog) return undefined;
    const kept = this.#spare.pop() ?? new KeptArguments();
    return kept.keep(args, entry.secretsOf(args), slowLog.argumentBytesMax);
  }

  /** Counts a command whose parts are all there: its time is that of the slowest. */
  gathered(gather: Gather): void {
    const { slowLog, bands } = this.#notes;
    const { client, commandId, database, queueUs, durableUs, executeTicks } = gather;
    const executeUs = executeTicks / TICKS_PER_US;
    this.#page.executed(commandTable.entries[commandId]!.countedAs, executeTicks);
    this.#page.gathered(Math.max(0, this.#clock.nowUs() - gather.sinceUs));
    bands.count(queueUs + executeUs + durableUs, gather.slowestShard);
    if (gather.kept === undefined) return;
    if (executeUs >= slowLog.slowerThanUs) {
      this.#log(client, { executeUs, queueUs, durableUs, database }, gather.kept);
    } else if (this.#spare.length < SPARE_MAX) {
      this.#spare.push(gather.kept);
    }
  }

  #log(
    client: Client,
    times: Pick<SlowCommand, 'executeUs' | 'queueUs' | 'durableUs' | 'database'>,
    kept: KeptArguments,
  ): void {
    const unixMs = this.#clock.wallMs();
    this.#notes.slowLog.add({ ...times, unixMs, client: asSlowClient(client) }, kept);
    this.#page.slow(times.executeUs);
  }
}

/** Returns the present identity of a client; what a script calls has no address, as in Redis. */
export function asSlowClient({ id, socket, session }: Client): SlowClient {
  const { name, user } = session;
  return { id, address: id === 0 ? '' : socket.remoteAddress, name, user };
}
