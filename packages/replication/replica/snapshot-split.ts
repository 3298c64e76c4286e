/**
 * Splits a primary's snapshot, as its bytes come, into batches of keys for the shards that they belong to. It runs in a
 * thread of its own, and talks with main by a message port.
 */

import type { MessagePort } from 'node:worker_threads';
import { keySlot, latin1, shardOfSlot, type Bytes } from '#base';
import { rdb } from '#store';

/** Options of a split, as they go to its thread. */
export interface SnapshotSplitOptions {
  readonly shardCount: number;
  readonly port: MessagePort;
}

/** Message to the split: bytes of the snapshot, or null behind the last. */
type SnapshotPiece = Bytes | null;

/** Message of the split. */
export type SplitMessage =
  | { readonly kind: 'batch'; readonly shard: number; readonly keys: number; readonly batch: Bytes }
  /** So many bytes of the snapshot were looked at. */
  | { readonly kind: 'taken'; readonly bytes: number }
  /** The code of a library of functions. */
  | { readonly kind: 'library'; readonly code: string }
  /** Field that tells something of the snapshot. */
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  /** All keys were sent. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly problem: string };

/** Bytes of a batch: as many keys as a shard builds in about a millisecond. */
const BATCH_BYTES = 64 * 1024;

/** Splits what comes by the port; settles when all was sent, or nothing more will come. */
export function splitSnapshot(options: SnapshotSplitOptions): Promise<void> {
  return new SnapshotSplit(options).run();
}

class SnapshotSplit {
  readonly #port: MessagePort;
  readonly #shardCount: number;
  readonly #writers: readonly rdb.KeyBatchWriter[];
  readonly #splitter: rdb.RdbSplitter;

  constructor({ shardCount, port }: SnapshotSplitOptions) {
    this.#port = port;
    this.#shardCount = shardCount;
    this.#writers = Array.from({ length: shardCount }, () => new rdb.KeyBatchWriter(BATCH_BYTES));
    this.#splitter = new rdb.RdbSplitter({
      key: (split) => {
        this.#add(split);
      },
      library: (code) => {
        this.#tell({ kind: 'library', code: latin1(code) });
      },
      field: (name, value) => {
        this.#tell({ kind: 'field', name, value });
      },
    });
  }

  run(): Promise<void> {
    const port = this.#port;
    return new Promise((resolve) => {
      port.once('close', resolve);
      port.on('message', (piece: SnapshotPiece) => {
        if (this.#take(piece)) return;
        port.close();
      });
    });
  }

  #tell(message: SplitMessage): void {
    this.#port.postMessage(message);
  }

  #add(split: rdb.SplitKey): void {
    const { bytes, at, length } = split.key;
    const shard = shardOfSlot(keySlot(bytes, at, length), this.#shardCount);
    const writer = this.#writers[shard]!;
    if (!writer.hasRoomFor(split)) this.#send(shard, writer);
    writer.add(split);
  }

  #send(shard: number, writer: rdb.KeyBatchWriter): void {
    const { count: keys } = writer;
    if (keys === 0) return;
    const batch = writer.take();
    const message: SplitMessage = { kind: 'batch', shard, keys, batch };
    this.#port.postMessage(message, [batch.buffer]);
  }

  /** Takes a piece; false when no more is wanted. */
  #take(piece: SnapshotPiece): boolean {
    try {
      if (piece === null) return this.#end();
      const taken = this.#splitter.take(piece);
      if (taken < piece.length) return this.#fail('more bytes follow behind its end');
      this.#tell({ kind: 'taken', bytes: piece.length });
      return true;
    } catch (error) {
      if (!(error instanceof rdb.RdbFileError)) throw error;
      return this.#fail(error.message);
    }
  }

  #fail(problem: string): false {
    this.#tell({ kind: 'failed', problem });
    return false;
  }

  #end(): false {
    if (!this.#splitter.isEnded) return this.#fail(this.#splitter.cutOff().message);
    for (const [shard, writer] of this.#writers.entries()) this.#send(shard, writer);
    this.#tell({ kind: 'ended' });
    return false;
  }
}
