/**
 * All data of a primary on their way into the shards: split by a task thread, built by the shards beside what they serve.
 * Neither the snapshot nor more of it than a few megabytes is ever in memory as a whole.
 */

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Bytes } from '#base';
import type { ShardCalls } from '#router';
import { dropStagedCall } from '#stats';
import { snapshotSplitUrl } from '#workers';
import type {
  SnapshotPiece,
  SnapshotSplitOptions,
  SplitMessage,
} from './protocol/replica/snapshot-split.ts';
import type { StreamPosition } from './protocol/replica/primary-past.ts';
import { runTask } from '#main';

/** Bytes of the snapshot and of keys under way at which nothing more is read, and at which it is again. */
const UNDER_WAY_BYTES_MAX = 16 * 1024 * 1024;
const UNDER_WAY_BYTES_LOW = 8 * 1024 * 1024;
/** Batches that a shard has in its ring: what clients ask of it waits behind them. */
const BATCHES_AHEAD = 3;
/** A shard that takes longer for a batch is stuck. */
const STAGE_MS_MAX = 120_000;

/** Keys without elements that are named. */
const SKIPPED_SHOWN = 10;

interface FullSyncOptions {
  readonly shardCalls: ShardCalls;
  readonly shardCount: number;
  /** Position at which the stream continues after the snapshot. */
  readonly position: StreamPosition;
  /** Bytes of the snapshot; undefined where the primary does not know. */
  readonly totalBytes: number | undefined;
  readonly startedMs: number;
  /** More may be read. */
  resume(): void;
  /** Reports skipped keys without elements: their names, and the number so far. */
  skipped(names: readonly string[], count: number): void;
  /** The data cannot be used. */
  failed(reason: string): void;
}

/** Batches of a shard. */
interface ShardQueue {
  readonly waiting: Uint8Array<ArrayBuffer>[];
  /** Batches that it has been sent and has not built. */
  sent: number;
}

export class FullSync {
  readonly position: StreamPosition;
  readonly totalBytes: number | undefined;
  readonly startedMs: number;
  /** Codes of the libraries of functions. */
  readonly libraries: string[] = [];
  /** Database that the stream begins in. */
  streamDatabase = 0;
  receivedBytes = 0;
  lastReceivedMs: number;
  /** Keys that the shards have. */
  keys = 0;
  readonly #options: FullSyncOptions;
  readonly #port: MessagePort;
  readonly #queues: readonly ShardQueue[];
  #isPaused = false;
  #skipped = 0;
  /** Bytes that the splitter has not looked at, and bytes of batches that shards have not built. */
  #unsplit = 0;
  #unstaged = 0;
  #isSplit = false;
  #problem: string | undefined;
  #settle: ((error: Error | undefined) => void) | undefined;

  constructor(options: FullSyncOptions) {
    this.#options = options;
    this.position = options.position;
    this.totalBytes = options.totalBytes;
    this.startedMs = options.startedMs;
    this.#queues = Array.from({ length: options.shardCount }, () => ({ waiting: [], sent: 0 }));
    this.lastReceivedMs = options.startedMs;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message: SplitMessage) => {
      this.#hear(message);
    });
    const task: SnapshotSplitOptions = {
      shardCount: options.shardCount,
      form: 'batches',
      port: port2,
    };
    runTask(snapshotSplitUrl, 'splitSnapshot', task, [port2]).catch((error: unknown) => {
      this.#fail(`they cannot be split: ${(error as Error).message}`);
    });
  }

  /** Takes bytes of the snapshot; false when no more are to come for now. */
  take(piece: Bytes, nowMs: number): boolean {
    this.receivedBytes += piece.length;
    this.lastReceivedMs = nowMs;
    if (this.#problem !== undefined) return true;
    this.#unsplit += piece.length;
    this.#port.postMessage(piece);
    this.#isPaused ||= this.#underWay > UNDER_WAY_BYTES_MAX;
    return !this.#isPaused;
  }

  /** Called after the last byte; resolves when the shards have built all keys, or rejects with the fault of the data. */
  ended(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = (error) => {
        if (error === undefined) resolve();
        else reject(error);
      };
      if (this.#problem !== undefined) this.#fail(this.#problem);
      this.#port.postMessage(null);
    });
  }

  /** Drops the received data. */
  abandon(): void {
    this.#problem ??= 'they are no longer needed';
    this.#port.close();
    void this.#options.shardCalls.ask(dropStagedCall, null);
  }

  /** The shards serve the staged data. */
  done(): void {
    this.#port.close();
  }

  get #underWay(): number {
    return this.#unsplit + this.#unstaged;
  }

  #hear(message: SplitMessage): void {
    switch (message.kind) {
      case 'batch':
        this.#unstaged += message.batch.length;
        this.#queues[message.shard]!.waiting.push(message.batch);
        this.#stageNext(message.shard);
        break;
      case 'commands':
        this.#fail('they were split for another purpose');
        break;
      case 'taken':
        this.#unsplit -= message.bytes;
        this.#goOn();
        break;
      case 'library':
        this.libraries.push(message.code);
        break;
      case 'field':
        if (message.name === 'repl-stream-db') this.streamDatabase = Number(message.value);
        break;
      case 'ended':
        this.#isSplit = true;
        this.#endIfStaged();
        break;
      case 'failed':
        this.#fail(message.problem);
        break;
    }
  }

  #stageNext(shard: number): void {
    const queue = this.#queues[shard]!;
    while (queue.sent < BATCHES_AHEAD) {
      const batch = queue.waiting.shift();
      if (batch === undefined) return;
      queue.sent += 1;
      void this.#stage(shard, batch);
    }
  }

  async #stage(shard: number, batch: Uint8Array<ArrayBuffer>): Promise<void> {
    // A long batch goes to the shard with its memory, and has no length any more.
    const { length } = batch;
    const report = await this.#options.shardCalls.stage(shard, batch, STAGE_MS_MAX);
    this.#queues[shard]!.sent -= 1;
    this.#unstaged -= length;
    if (this.#problem !== undefined) return;
    this.#giveBack(shard, batch);
    this.#stageNext(shard);
    if (report.missing) {
      this.#fail(`shard ${shard} did not reply in time`);
      return;
    }
    this.keys += report.answer.keys;
    this.#skip(report.answer.empty);
    if (report.answer.problem !== null) this.#fail(report.answer.problem);
    else this.#goOn();
    this.#endIfStaged();
  }

  /** Reports the first of the keys that were skipped, as Redis does. */
  #skip(names: readonly string[]): void {
    if (names.length === 0) return;
    const shown = names.slice(0, Math.max(0, SKIPPED_SHOWN - this.#skipped));
    this.#skipped += names.length;
    this.#options.skipped(shown, this.#skipped);
  }

  /** The memory of a batch is used again: as garbage it would have the collector stop main. */
  #giveBack(shard: number, { length, buffer: memory }: Uint8Array<ArrayBuffer>): void {
    if (this.#isSplit || length === 0) return;
    this.#port.postMessage({ shard, memory } satisfies SnapshotPiece, [memory]);
  }

  #goOn(): void {
    if (!this.#isPaused || this.#underWay > UNDER_WAY_BYTES_LOW) return;
    this.#isPaused = false;
    if (this.#problem === undefined) this.#options.resume();
  }

  #endIfStaged(): void {
    if (this.#isSplit && this.#unstaged === 0 && this.#problem === undefined) {
      this.#settle?.(undefined);
    }
  }

  #fail(reason: string): void {
    this.#problem ??= reason;
    const problem = `the data of the primary cannot be used: ${reason}`;
    if (this.#settle === undefined) this.#options.failed(problem);
    else this.#settle(new Error(problem));
  }
}
