/** For tests: a segment of a log, written as its format is described, of records with nothing but a time. */

import fs from 'node:fs';
import { crc32 } from 'node:zlib';
import { Record, RECORD_HEADER_BYTES, RecordKind } from '#persistence';

const FILE_HEAD_BYTES = 64;
const BLOCK_HEAD_BYTES = 18;
const BLOCK_MAGIC = 0xb10c;
const FORMAT = 2;

export class WrittenLog {
  readonly file: string;
  #blocks = 0;

  constructor(file: string) {
    this.file = file;
    const head = Buffer.alloc(FILE_HEAD_BYTES);
    head.write('SVC-LOG\n', 0, 'latin1');
    for (const [nth, word] of [FORMAT, 0, 1, 1, 1].entries()) head.writeUInt32LE(word, 8 + 4 * nth);
    head.writeUInt32LE(crc32(head), 28);
    fs.writeFileSync(file, head);
  }

  get size(): number {
    return fs.statSync(this.file).size;
  }

  /** Writes a block with a record for each time; the blocks before it are on disk, it says. */
  block(times: readonly number[]): void {
    this.#blocks += 1;
    const padding = (8 - ((this.size + BLOCK_HEAD_BYTES) % 8)) % 8;
    const records = times.map((time) => {
      const record = Buffer.alloc(RECORD_HEADER_BYTES);
      record.writeInt32LE(RECORD_HEADER_BYTES, 4 * Record.bytes);
      record.writeInt32LE(RecordKind.states, 4 * Record.kind);
      record.writeDoubleLE(time, 4 * Record.timeAt);
      return record;
    });
    const body = Buffer.concat([Buffer.alloc(padding), ...records]);
    const head = Buffer.alloc(BLOCK_HEAD_BYTES);
    head.writeUInt16LE(BLOCK_MAGIC, 0);
    head.writeUInt16LE(1, 2);
    head.writeUInt32LE(this.#blocks, 4);
    head.writeUInt32LE(body.length, 8);
    head.writeUInt32LE(crc32(body), 12);
    head.writeUInt16LE(crc32(head.subarray(0, 16)) & 0xffff, 16);
    fs.appendFileSync(this.file, Buffer.concat([head, body]));
  }
}
