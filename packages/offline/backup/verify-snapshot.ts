/** Verification of a snapshot's file without memory for its keys. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { keysInPiece, LIBRARIES_PIECE } from '#store';
import { BlockReader, DamagedFile } from '#persistence';

/** Blocks that are read without a pause for other work, such as signals. */
const SLICE_BLOCKS = 16;

/** Reads all blocks; rejects with a DamagedFile unless all of them are intact and have that many keys. */
export async function verifySnapshot(
  file: string,
  keysWanted: number,
  signal?: AbortSignal,
): Promise<void> {
  const reader = new BlockReader('snapshot', file);
  try {
    let keys = 0;
    let blocks = 0;
    for (let block = reader.next(); block !== undefined; block = reader.next()) {
      const count = block.readUInt32LE(4);
      if (count !== LIBRARIES_PIECE) keys += keysInPiece(count);
      blocks += 1;
      if (blocks % SLICE_BLOCKS > 0) continue;
      await nextTurn();
      signal?.throwIfAborted();
    }
    reader.end(true);
    if (keys === keysWanted) return;
    throw new DamagedFile(file, reader.size, `it has ${keys} keys of ${keysWanted}`);
  } finally {
    reader.close();
  }
}
