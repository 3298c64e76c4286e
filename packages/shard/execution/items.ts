/** Items of a command that several shards run, as they travel to main. */

import type { ReplyWriter } from '#resp';

/** Beginning of an item: a position of the writer. */
export interface ItemMark {
  /** Index of the argument that the item belongs to. */
  readonly index: number;
  readonly at: number;
}

/** Encodes the written items, each preceded by its argument's index and its size. */
export function encodeItems(writer: ReplyWriter, items: readonly ItemMark[]): Uint8Array {
  const begins = items.map(({ at }) => writer.offsetOf(at));
  const end = writer.at;
  const body = Buffer.allocUnsafe(end - (begins[0] ?? end) + 8 * items.length);
  let at = 0;
  for (const [nth, { index }] of items.entries()) {
    const begin = begins[nth]!;
    const itemEnd = begins[nth + 1] ?? end;
    body.writeUInt32LE(index, at);
    body.writeUInt32LE(itemEnd - begin, at + 4);
    body.set(writer.bytes.subarray(begin, itemEnd), at + 8);
    at += 8 + itemEnd - begin;
  }
  return body;
}
