/** Replies in private memory. */

import { copyBytes, type Bytes } from '#base';
import { ReplyWriter, type Protocol } from './reply-writer.ts';

/** A writer over private memory that grows as needed; `take` gives what was written. */
export class OwnedReply extends ReplyWriter {
  constructor(protocol: Protocol = 2, initialBytes = 256) {
    super(Buffer.allocUnsafeSlow(initialBytes), 0, initialBytes, doubleMemory);
    this.protocol = protocol;
  }

  /** The bytes written so far; the next write may overwrite them. */
  take(): Bytes {
    const written = this.bytes.subarray(0, this.at);
    this.at = 0;
    return written;
  }
}

/** Moves the writer to fresh private memory of at least twice the size. */
export function doubleMemory(writer: ReplyWriter, bytesNeeded: number): void {
  const size = Math.max(writer.limit * 2, writer.at + bytesNeeded);
  const larger = Buffer.allocUnsafeSlow(size);
  copyBytes(writer.bytes, 0, larger, 0, writer.at);
  writer.bytes = larger;
  writer.limit = size;
}
