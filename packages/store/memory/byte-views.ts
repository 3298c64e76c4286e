/** Copies into memory of the store, by words where the source's view is at hand. */
import { type ByteViews, copyLong, copyWords } from '#base';
import { LOOP_COPY_BYTES_MAX } from './limits.ts';

/** Without a view, a block copy is cheaper from this length on. */
const BYTE_LOOP_BYTES_MAX = 32;

/** Bytes with their view: where a copy goes. */
interface ViewedBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Copies between memories that do not overlap. */
export function copyInto(
  target: ViewedBytes,
  targetAt: number,
  source: Uint8Array,
  sourceAt: number,
  length: number,
  views: ByteViews,
): void {
  if (length > LOOP_COPY_BYTES_MAX) {
    copyLong(target.bytes, targetAt, source, sourceAt, length);
    return;
  }
  const from = views.of(source);
  if (from !== undefined) {
    copyWords(target.view, targetAt, from, sourceAt, length);
  } else if (length > BYTE_LOOP_BYTES_MAX) {
    copyLong(target.bytes, targetAt, source, sourceAt, length);
  } else {
    const bytes = target.bytes;
    for (let i = 0; i < length; i += 1) bytes[targetAt + i] = source[sourceAt + i]!;
  }
}
