/** Replies in private memory. */

import { type Bytes, copyBytes } from '#base';
import type { ReplyMemory } from './reply-memory.ts';
import { ReplyWriter, type Protocol } from './reply-writer.ts';

/** Length from which a reply continues in another piece, instead of moving to larger memory. */
const CHUNK_BYTES = 1024 * 1024;
/** Shortest bulk string that becomes a piece of the reply as it is. */
const GIVEN_BYTES_MIN = 64 * 1024;

/** A writer over private memory that grows as needed; `take` gives what was written. */
export class OwnedReply extends ReplyWriter {
  constructor(protocol: Protocol = 2, initialBytes = 256) {
    super(Buffer.allocUnsafeSlow(initialBytes), 0, initialBytes, growMemory);
    this.protocol = protocol;
  }

  /** Number of bytes written since they were last taken. */
  get writtenBytes(): number {
    let bytes = this.at;
    for (const chunk of this.chunks) bytes += chunk.length;
    return bytes;
  }

  /** The bytes written so far; the next write may overwrite them. */
  take(): Bytes {
    const written = this.bytes.subarray(0, this.at);
    this.at = 0;
    if (this.chunks.length === 0) return written;
    return Buffer.concat([...this.takeChunks(), written]);
  }

  /** The finished pieces of a long reply, which are the caller's; `take` has the rest. */
  takeChunks(): Bytes[] {
    return this.chunks.splice(0);
  }

  /** Adds finished RESP; takes over its memory. */
  giveRaw(bytes: Bytes): void {
    this.cut(CHUNK_BYTES);
    this.chunks.push(bytes);
  }

  override givenBulk(bytes: Bytes): void {
    if (bytes.length < GIVEN_BYTES_MIN) {
      this.bulk(bytes);
      return;
    }
    this.bulkHeader(bytes.length);
    this.giveRaw(bytes);
    this.ensure(2);
    this.crlf();
  }
}

/**
 * Gives the writer more private memory: a further piece behind a long one, else memory of at least twice the size, with
 * what was written moved there.
 */
export function growMemory(writer: ReplyMemory, bytesNeeded: number): void {
  if (writer.at >= CHUNK_BYTES && writer.mayCut) {
    writer.cut(Math.max(CHUNK_BYTES, bytesNeeded));
    return;
  }
  const size = Math.max(writer.limit * 2, writer.at + bytesNeeded);
  const larger = Buffer.allocUnsafeSlow(size);
  copyBytes(writer.bytes, 0, larger, 0, writer.at);
  writer.bytes = larger;
  writer.limit = size;
}
