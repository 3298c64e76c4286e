/**
 * Splits a primary's snapshot, as its bytes come, into batches of keys for the shards that they belong to. It runs in a
 * thread of its own, and talks with main by a message port.
 */

import type { MessagePort } from 'node:worker_threads';
import { type Bytes, keySlot, latin1, shardOfSlot } from '#base';
import { commandBytes } from '#resp';
import { rdb } from '#store';

/** Options of a split, as they go to its thread. */
export interface SnapshotSplitOptions {
  readonly shardCount: number;
  /** Batches of keys for each shard, or commands that restore them, for a server that has other keys as well. */
  readonly form: 'batches' | 'commands';
  readonly port: MessagePort;
}

/** Message to the split: bytes of the snapshot, or null behind the last, or memory of a shard's batch that is done with. */
export type SnapshotPiece = Bytes | null | SpareBatch;

interface SpareBatch {
  readonly shard: number;
  readonly memory: ArrayBuffer;
}

/** Message of the split. */
export type SplitMessage =
  | {
      readonly kind: 'batch';
      readonly shard: number;
      readonly keys: number;
      readonly batch: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: 'commands'; readonly keys: number; readonly commands: Bytes }
  /** Number of processed bytes of the snapshot. */
  | { readonly kind: 'taken'; readonly bytes: number }
  /** The code of a library of functions. */
  | { readonly kind: 'library'; readonly code: string }
  /** Auxiliary field of the snapshot. */
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
  #commands: Bytes[] = [];
  #commandBytes = 0;
  /** Keys that the waiting commands restore. */
  #commandKeys = 0;
  /** Database that the commands have selected. */
  #database = 0;

  constructor({ shardCount, form, port }: SnapshotSplitOptions) {
    this.#port = port;
    this.#shardCount = shardCount;
    this.#writers = Array.from({ length: shardCount }, () => new rdb.KeyBatchWriter(BATCH_BYTES));
    this.#splitter = new rdb.RdbSplitter({
      key: (split) => {
        if (form === 'commands') this.#addCommand(split);
        else this.#add(split);
      },
      library: (code) => {
        this.#post({ kind: 'library', code: latin1(code) });
      },
      field: (name, value) => {
        this.#post({ kind: 'field', name, value });
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

  #post(message: SplitMessage): void {
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

  #addCommand(split: rdb.SplitKey): void {
    const { key, value, expireAt, idleSeconds, frequency, type, database } = split;
    if (database !== this.#database) this.#addWords(['SELECT', String(database)]);
    this.#database = database;
    const words = [
      'RESTORE',
      key.bytes.subarray(key.at, key.at + key.length),
      String(expireAt < 0 ? 0 : expireAt),
      rdb.payloadOfFile(type, value),
      ...['REPLACE', 'ABSTTL'],
      ...(idleSeconds < 0 ? [] : ['IDLETIME', String(idleSeconds)]),
      ...(frequency < 0 ? [] : ['FREQ', String(frequency)]),
    ];
    this.#addWords(words);
    this.#commandKeys += 1;
    if (this.#commandBytes >= BATCH_BYTES) this.#sendCommands();
  }

  #addWords(words: readonly (string | Bytes)[]): void {
    const command = commandBytes(words);
    this.#commands.push(command);
    this.#commandBytes += command.length;
  }

  #sendCommands(): void {
    const keys = this.#commandKeys;
    if (keys === 0) return;
    const commands = new Uint8Array(this.#commandBytes);
    let at = 0;
    for (const command of this.#commands) {
      commands.set(command, at);
      at += command.length;
    }
    this.#commands = [];
    this.#commandBytes = 0;
    this.#commandKeys = 0;
    const message: SplitMessage = { kind: 'commands', keys, commands };
    this.#port.postMessage(message, [commands.buffer]);
  }

  /** Takes a piece; false when no more is wanted. */
  #take(piece: SnapshotPiece): boolean {
    try {
      if (piece === null) return this.#end();
      if ('memory' in piece) {
        this.#writers[piece.shard]!.giveBack(piece.memory);
        return true;
      }
      const taken = this.#splitter.take(piece);
      if (taken < piece.length) return this.#fail('more bytes follow behind its end');
      this.#post({ kind: 'taken', bytes: piece.length });
      return true;
    } catch (error) {
      if (!(error instanceof rdb.RdbFileError)) throw error;
      return this.#fail(error.message);
    }
  }

  #fail(problem: string): false {
    this.#post({ kind: 'failed', problem });
    return false;
  }

  #end(): false {
    if (!this.#splitter.isEnded) return this.#fail(this.#splitter.cutOff().message);
    this.#sendCommands();
    for (const [shard, writer] of this.#writers.entries()) this.#send(shard, writer);
    this.#post({ kind: 'ended' });
    return false;
  }
}
