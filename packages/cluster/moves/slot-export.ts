/**
 * The source's side of a move of slots: the target follows this server for them. When it has nearly all, writes are held back
 * until it has everything, and one transaction gives it the slots.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Router } from '#router';
import { movedKeysCall } from '#stats';
import { ClusterError } from '../agreement/cluster-error.ts';
import type { SlotMigration } from '../agreement/topology.ts';
import { type Primary, type Replica, untilDrained } from '#replication';
import type { Clients } from '#clients';
import type { MoveProgress } from './move-progress.ts';

/** Longest wait for the target to connect, and for a full synchronisation before this one to end. */
const CONNECT_MS_MAX = 60_000;
const LOOK_MS = 2;
/** Between two looks while it is sent its snapshot. */
const SNAPSHOT_LOOK_MS = 10;
/** The target is near when it acknowledges within this. */
const NEAR_MS = 30;
/** Rounds of acknowledgements behind which it is as near as it comes. */
const ROUNDS_MAX = 50;
/** Longest time for which writes are held back at once, and times that it is tried. */
const PAUSE_MS_MAX = 1_000;
const PAUSES_MAX = 5;
/** Between two of them. */
const PAUSE_AGAIN_MS = 1_000;

interface SlotExportOptions {
  readonly migration: SlotMigration;
  readonly progress: MoveProgress;
  readonly primary: Primary;
  readonly router: Router;
  readonly clients: Pick<Clients, 'pause' | 'unpause'>;
  readonly nowMs: () => number;
  /** Gives the slots to the target, by one transaction; rejects where that was not done, or is not known to be. */
  readonly flip: () => Promise<void>;
}

export class SlotExport {
  readonly #options: SlotExportOptions;
  #endReason: string | undefined;

  constructor(options: SlotExportOptions) {
    this.#options = options;
  }

  /** Settles when the target has the slots; rejects with the reason why it does not get them. */
  async run(): Promise<void> {
    const { progress } = this.#options;
    await this.#connected();
    progress.enter('snapshotting');
    await this.#until((taker) => this.#isSynced(taker), SNAPSHOT_LOOK_MS);
    progress.keys = await this.#countKeys();
    for (let tries = 1; ; tries += 1) {
      progress.enter('replicating');
      await this.#near();
      progress.enter('paused');
      if (await this.#handOver()) return;
      if (tries === PAUSES_MAX)
        throw new ClusterError('the target does not catch up with the source');
      await sleep(PAUSE_AGAIN_MS);
    }
  }

  /** Aborts the migration: pending work rejects with the reason, and the target is disconnected. */
  end(reason: string): void {
    this.#endReason ??= reason;
    this.#taker?.link.close(`slot migration ended: ${reason}`);
  }

  /** Brings the figures up to now. */
  async measure(): Promise<void> {
    const { progress, primary } = this.#options;
    if (progress.hasEnded) return;
    const taker = this.#taker;
    if (taker === undefined) return;
    progress.bytes = taker.link.sentBytes;
    progress.lagBytes =
      taker.state === 'online' ? Math.max(0, primary.offset - taker.ack.offset) : 0;
    if (progress.state === 'snapshotting') progress.keys = await this.#countKeys();
  }

  get #taker(): Replica | undefined {
    return this.#options.primary.takerOf(this.#options.migration.id);
  }

  #demandGoing(): void {
    if (this.#endReason !== undefined) throw new ClusterError(this.#endReason);
  }

  async #connected(): Promise<void> {
    const { nowMs } = this.#options;
    const untilMs = nowMs() + CONNECT_MS_MAX;
    while (this.#taker?.state !== 'send_bulk' && this.#taker?.state !== 'online') {
      this.#demandGoing();
      if (nowMs() > untilMs) throw new ClusterError('the target does not connect');
      await sleep(LOOK_MS);
    }
  }

  async #until(
    isDone: (taker: Replica) => boolean,
    lookMs: number,
    hasTime: () => boolean = () => true,
  ): Promise<boolean> {
    while (hasTime()) {
      this.#demandGoing();
      const taker = this.#taker;
      if (taker === undefined) throw new ClusterError('the target disconnected');
      if (isDone(taker)) return true;
      await sleep(lookMs);
    }
    return false;
  }

  #isSynced(taker: Replica): boolean {
    this.#options.progress.bytes = taker.link.sentBytes;
    return taker.isStreaming;
  }

  async #countKeys(): Promise<number> {
    const reports = await this.#options.router.shardCalls.ask(movedKeysCall, null);
    return reports.reduce((sum, report) => sum + (report.missing ? 0 : report.answer), 0);
  }

  /** Waits until the lag of the target is so small that writes need not be suspended for long. */
  async #near(): Promise<void> {
    const { primary, nowMs } = this.#options;
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
      const askedMs = nowMs();
      await this.#acknowledged(primary.offset);
      if (nowMs() - askedMs <= NEAR_MS) return;
    }
  }

  async #acknowledged(offset: number, hasTime?: () => boolean): Promise<boolean> {
    const { primary } = this.#options;
    primary.acks.ask();
    return this.#until(({ ack }) => ack.offset >= offset, LOOK_MS, hasTime);
  }

  /** Hands the slots over while writes are suspended; false if the target has not caught up in time. */
  async #handOver(): Promise<boolean> {
    const { clients, primary, progress, nowMs, flip } = this.#options;
    const beganMs = nowMs();
    const hasTime = (): boolean => nowMs() - beganMs < PAUSE_MS_MAX;
    clients.pause('write', Infinity, 'slots');
    primary.holdsPings = true;
    try {
      // Commands in flight are finished, and all of them are in the stream.
      if (!(await untilDrained(this.#options, hasTime))) return false;
      if (!(await this.#acknowledged(primary.offset, hasTime))) return false;
      // Reports between the transaction and the end of the pause must not show 0.
      progress.pauseMs = Math.max(1, Math.ceil(nowMs() - beganMs));
      await flip();
      return true;
    } finally {
      primary.holdsPings = false;
      clients.unpause('slots');
      progress.pauseMs = Math.max(0, Math.ceil(nowMs() - beganMs));
    }
  }
}
