/** Recovers a shard from its files: the newest snapshot, and the log after it. */

import fs from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import type { Bytes } from '#base';
import type { Page } from '#stats';
import {
  BlockReader,
  DamagedFile,
  PIECE_HEAD_BYTES,
  type RecoveryProblem,
  type ShardPlan,
  shortenBlock,
  shortenFile,
  type TornEnd,
} from '#persistence';
import { LIBRARIES_PIECE, PieceInstaller, type Store } from '#store';
import { ReplayError, ReplayStop, type Replay } from './replay.ts';

/** Part of a file that was left out, and why. */
interface LeftOut {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  readonly isDamage: boolean;
  readonly message: string;
}

export interface RecoveryReport {
  readonly keys: number;
  readonly records: number;
  readonly leftOut: readonly LeftOut[];
  /** Records of transactions that were never whole. */
  readonly droppedRecords: number;
  /** Records of what was not possible without the keys that a damaged snapshot has lost. */
  readonly refusedRecords: number;
}

/** Returns the message about records that could not be done again. */
export function refusalsOf(records: number): string {
  return `${records} log records could not be replayed without the keys that are lost`;
}

interface RecoveryOptions {
  readonly store: Store;
  readonly replay: Replay;
  readonly page: Page;
  /** Called after each piece that was read. */
  readonly passed?: () => void;
}

export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #leftOut: LeftOut[] = [];
  /** Repairs to be made to the files, once all shards can be recovered. */
  readonly #repairs: (() => void)[] = [];
  #before = 0;
  #droppedRecords = 0;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /**
   * Reads all files of the plan without changing them. Damaged data is returned as a problem; with `anyway` it is
   * skipped and reported, like a torn end of the last segment.
   */
  run(plan: ShardPlan, anyway: boolean): RecoveryReport | RecoveryProblem {
    const { store, replay, page } = this.#options;
    page.set('loadTotalBytes', plan.bytes);
    page.set('loadedBytes', 0);
    try {
      const { snapshot, snapshotKeys, salvages } = plan;
      replay.skipsRefused = salvages;
      if (snapshot !== undefined) this.#snapshot(snapshot, snapshotKeys, salvages);
    } catch (error) {
      return { isSnapshot: true, message: messageOf(error) };
    }
    for (const [nth, file] of plan.segments.entries()) {
      const isLast = nth === plan.segments.length - 1;
      try {
        if (nth === plan.hole?.before) throw new DamagedFile(file, 0, plan.hole.what);
        const end = this.#segment(file, isLast);
        if (end === undefined) continue;
        if (end === 'dependency') this.#leaveBehind(plan.segments.slice(nth + 1), LEFT);
        break;
      } catch (error) {
        if (!anyway || !(error instanceof DamagedFile)) {
          return { isSnapshot: false, message: messageOf(error) };
        }
        this.#setAsideFile(error, plan.segments.slice(nth + 1));
        break;
      }
    }
    const keys = store.keyCount;
    page.set('loadedKeys', keys);
    page.set('loadedBytes', plan.bytes);
    const { records, refusedRecords } = replay;
    const droppedRecords = this.#droppedRecords;
    return { keys, records, leftOut: this.#leftOut, droppedRecords, refusedRecords };
  }

  /** Truncates torn ends, and moves damaged files aside: the log continues after the data that was read. */
  repair(): void {
    for (const each of this.#repairs.splice(0)) each();
  }

  #snapshot(file: string, keysWanted: number, salvages: boolean): void {
    let keys = 0;
    const gaps: TornEnd[] = [];
    try {
      const reader = new BlockReader('snapshot', file);
      try {
        keys = this.#pieces(reader, 0);
        while (salvages && reader.offset < reader.size) {
          gaps.push(reader.resume());
          keys = this.#pieces(reader, keys);
        }
        reader.end(true);
      } finally {
        reader.close();
      }
      if (keys !== keysWanted && !salvages) {
        throw new DamagedFile(file, reader.size, `it has ${keys} keys of ${keysWanted}`);
      }
      this.#before += reader.size;
    } catch (error) {
      // Not even its head can be read.
      if (!salvages || !(error instanceof DamagedFile)) throw error;
      gaps.push({ offset: error.offset, bytes: fs.statSync(file).size });
    }
    const lost = `${keysWanted - keys} of its ${keysWanted} keys are lost`;
    for (const { offset, bytes } of gaps) {
      const message = `${file} is damaged at offset ${offset}: ${lost}`;
      this.#leftOut.push({ file, offset, bytes, isDamage: true, message });
    }
  }

  /** Takes in the states of all blocks up to damage or the end; returns how many keys there are then. */
  #pieces(reader: BlockReader, keysBefore: number): number {
    let keys = keysBefore;
    const installer = new PieceInstaller(this.#options.store);
    for (let block = reader.next(); block !== undefined; block = reader.next()) {
      const unpackedBytes = block.readUInt32LE(0);
      const packed = block.subarray(PIECE_HEAD_BYTES);
      const states: Bytes =
        unpackedBytes === 0 ? packed : inflateRawSync(packed, { maxOutputLength: unpackedBytes });
      const count = block.readUInt32LE(4);
      if (count === LIBRARIES_PIECE) this.#options.replay.libraries(states);
      else keys += installer.install(states, count);
      this.#passed(reader, keys);
    }
    return keys;
  }

  /** Returns why the log is to end in it: by a given time, or since what follows depends on what is missing. */
  #segment(file: string, isLast: boolean): 'time' | 'dependency' | undefined {
    const { replay } = this.#options;
    const reader = new BlockReader('log', file);
    replay.beginSegment(reader.head.number);
    try {
      for (let block = reader.next(); block !== undefined; block = reader.next()) {
        this.#replay(block, reader);
        this.#passed(reader, 0);
      }
      const torn = reader.end(!isLast);
      if (torn !== undefined) {
        this.#repairs.push(() => {
          shortenFile(file, torn.offset);
        });
        const message = `${file} ends in the middle of a write at offset ${torn.offset}`;
        if (torn.bytes > 0) this.#leftOut.push({ file, ...torn, isDamage: false, message });
      }
    } catch (error) {
      if (!(error instanceof ReplayStop)) throw error;
      if (error.isTime) return 'time';
      this.#endWithin(reader, error.at);
      return 'dependency';
    } finally {
      reader.close();
      // A group that is not whole here never was: the next segment is of another life, or begins between groups.
      this.#droppedRecords += replay.dropGroup();
    }
    this.#before += reader.size;
    return undefined;
  }

  /** Ends the log in the current block, after `at` bytes of it. */
  #endWithin(reader: BlockReader, at: number): void {
    const { file, blockAt, size, format } = reader;
    const bytes = reader.bytesBefore(at);
    this.#repairs.push(() => {
      shortenBlock(file, format, blockAt, bytes);
    });
    const offset = blockAt + bytes;
    const message = `${file} is valid up to offset ${offset}: later records depend on transactions that are on no disk`;
    this.#leftOut.push({ file, offset, bytes: size - offset, isDamage: false, message });
  }

  #replay(block: Buffer, { file, blockAt }: BlockReader): void {
    try {
      this.#options.replay.block(block);
    } catch (error) {
      if (!(error instanceof ReplayError)) throw error;
      throw new DamagedFile(file, blockAt, error.message);
    }
  }

  #passed(reader: BlockReader, keys: number): void {
    const { page, passed } = this.#options;
    passed?.();
    page.set('loadedBytes', this.#before + reader.offset);
    if (keys > 0) page.set('loadedKeys', keys);
  }

  /** Keeps a copy of the damaged part, and ends the log before it. */
  #setAsideFile({ file, offset, message }: DamagedFile, later: readonly string[]): void {
    const { size } = fs.statSync(file);
    this.#repairs.push(() => {
      fs.copyFileSync(file, `${file}.damaged`);
      shortenFile(file, offset);
    });
    this.#leftOut.push({ file, offset, bytes: size - offset, isDamage: true, message });
    this.#leaveBehind(later, DAMAGED);
  }

  /** Moves segments after the end of the log aside. */
  #leaveBehind(later: readonly string[], end: typeof DAMAGED | typeof LEFT): void {
    for (const next of later) {
      const bytes = fs.statSync(next).size;
      this.#repairs.push(() => {
        fs.renameSync(next, `${next}.${end.suffix}`);
      });
      const message = `${next} is after ${end.what}`;
      const { isDamage } = end;
      this.#leftOut.push({ file: next, offset: 0, bytes, isDamage, message });
    }
  }
}

const DAMAGED = { suffix: 'damaged', what: 'the damage', isDamage: true } as const;
const LEFT = { suffix: 'left', what: 'the consistent end of the log', isDamage: false } as const;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
