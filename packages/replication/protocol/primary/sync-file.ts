/** Full syncs in temporary files, for replicas that need their length in advance. */

import type { Bytes } from '#base';

/** Temporary file, which is deleted when it is closed, or when the process ends. */
export interface SyncFile {
  /** Writes bytes behind all that were written. */
  append(bytes: readonly Bytes[]): Promise<void>;
  /** Reads bytes at an offset, in memory of their own. */
  read(at: number, byteCount: number): Promise<Bytes>;
  close(): void;
}

/** Bytes of a shard; the head and the end of a file are of none. */
export interface SyncPiece {
  readonly bytes: Bytes;
  readonly shard: number | undefined;
}

interface SyncFileWriterOptions {
  open(): Promise<SyncFile>;
  /** A piece is in the file: there is room for as much again. */
  written(piece: SyncPiece): void;
  /** The file is whole; it is the taker's. */
  ended(file: SyncFile, byteCount: number): void;
  failed(error: Error): void;
}

/** Writes a file while its pieces come. */
export class SyncFileWriter {
  readonly #options: SyncFileWriterOptions;
  #waiting: SyncPiece[] = [];
  #byteCount = 0;
  /** Bytes that are not in the file yet. */
  heldBytes = 0;
  #file: SyncFile | undefined;
  #isWriting = false;
  #hasEnded = false;
  #isDropped = false;

  constructor(options: SyncFileWriterOptions) {
    this.#options = options;
  }

  write(piece: SyncPiece): void {
    if (this.#isDropped) return;
    this.#waiting.push(piece);
    this.heldBytes += piece.bytes.length;
    void this.#goOn();
  }

  /** No more pieces will come. */
  end(): void {
    this.#hasEnded = true;
    void this.#goOn();
  }

  /** Drops the file when it is no longer needed. */
  drop(): void {
    this.#isDropped = true;
    this.#waiting = [];
    this.heldBytes = 0;
    if (this.#isWriting) return;
    this.#file?.close();
    this.#file = undefined;
  }

  async #goOn(): Promise<void> {
    if (this.#isWriting || this.#isDropped) return;
    this.#isWriting = true;
    try {
      this.#file ??= await this.#options.open();
      while (this.#waiting.length > 0) await this.#writeWaiting(this.#file);
    } catch (error) {
      this.drop();
      this.#options.failed(error as Error);
    }
    this.#isWriting = false;
    if (this.#mayReport) this.#handOver();
    else this.drop();
  }

  async #writeWaiting(file: SyncFile): Promise<void> {
    const pieces = this.#waiting.splice(0);
    await file.append(pieces.map(({ bytes }) => bytes));
    for (const piece of pieces) {
      this.#byteCount += piece.bytes.length;
      if (this.#mayReport) {
        this.heldBytes -= piece.bytes.length;
        this.#options.written(piece);
      }
    }
  }

  /** False when it was dropped, which may happen while the disk is waited for. */
  get #mayReport(): boolean {
    return !this.#isDropped;
  }

  #handOver(): void {
    const file = this.#file;
    if (!this.#hasEnded || file === undefined) return;
    this.#file = undefined;
    this.#isDropped = true;
    this.#options.ended(file, this.#byteCount);
  }
}
