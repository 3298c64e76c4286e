/** For tests: a shard's log over a fake disk, and a shard's end of its ring. */

import { systemClock } from '#base';
import { LogFigures } from '#stats';
import {
  defaultShape,
  layoutOf,
  LinkMemory,
  LogOwner,
  LogProgress,
  LogThread,
  RingReader,
  RingWriter,
} from '#link';
import { SHORT_HEAD_BYTES } from '../blocks/block.ts';
import { FakeDisk } from '../fake-disk.test-helper.ts';
import { segmentFile } from '../layout.ts';
import { Record, RECORD_HEADER_BYTES, RecordKind } from '../blocks/record.ts';
import { ShardLog } from './shard-log.ts';

const RING_BYTES = 64 * 1024;
const FOLDER = '/data';
const CUT_BYTES = RECORD_HEADER_BYTES + 8;
const MARK_WORD = Record.spans + 2;
const RECORD_BYTES = RECORD_HEADER_BYTES + 16;
/** Bytes of a block with one such record: head, kind and time, and the argument with its length after their number. */
export const FIXTURE_BLOCK_BYTES = SHORT_HEAD_BYTES + 7 + 6;

/** Returns the functions that put records into a ring. */
function recordsInto(memory: LinkMemory, writer: RingWriter) {
  const add = (bytes: number, kind: number, fill: (word: number) => void): void => {
    const at = writer.reserve(bytes);
    memory.bytes.fill(0, at, at + bytes);
    memory.words[(at >> 2) + Record.bytes] = bytes;
    memory.words[(at >> 2) + Record.kind] = kind;
    fill(at >> 2);
    writer.commit(bytes);
    writer.publish();
  };
  /** A command whose only argument is the mark. */
  const addMarked = (mark: number): void => {
    add(RECORD_BYTES, RecordKind.command, (word) => {
      memory.words[word + Record.argumentCount] = 1;
      memory.words[word + Record.bodyBytes] = 4;
      memory.words[word + Record.spans + 1] = 4;
      memory.words[word + MARK_WORD] = mark;
    });
  };
  return { add, addMarked };
}

/** Makes the shared memory of one shard's log. */
function sharedMemory() {
  const layout = layoutOf({ ...defaultShape(1), logRingBytes: RING_BYTES });
  const memory = LinkMemory.allocate(layout.bytes);
  const place = layout.logs[0]!;
  return {
    memory,
    place,
    blockAt: layout.logBlocks[0]!,
    writer: new RingWriter(memory, place),
    progress: new LogProgress(memory, layout.logProgress[0]!),
    ownerFor: (thread: number) => new LogOwner(memory, layout.logOwners[0]!, thread),
  };
}

export function logFixture() {
  const disk = new FakeDisk();
  const clock = systemClock;
  const { memory, place, blockAt, writer, progress, ownerFor } = sharedMemory();
  const figures = new LogFigures(new ArrayBuffer(LogFigures.bytes));
  const failures: string[] = [];
  const state = { wakes: 0 };
  const newLog = (holder: number): ShardLog =>
    new ShardLog({
      shard: 0,
      shards: 1,
      folder: FOLDER,
      disk,
      clock,
      memory,
      opensFiles: holder === LogThread.diskThread,
      ring: new RingReader(memory, place),
      progress,
      figures,
      blockAt,
      owner: ownerFor(holder),
      receive: () => [],
      failed: (shard, message) => failures.push(`${shard} ${message}`),
      synced: () => undefined,
      unsynced: () => {
        state.wakes += 1;
      },
    });
  const log = newLog(LogThread.diskThread);
  const { add, addMarked } = recordsInto(memory, writer);
  return {
    disk,
    clock,
    writer,
    progress,
    owner: ownerFor(LogThread.shard),
    figures,
    failures,
    log,
    state,
    /** The shard's own end. */
    own: newLog(LogThread.shard),
    /** A record that is not taken yet. */
    put: (mark: number): void => {
      addMarked(mark);
    },
    file: (number: number) => segmentFile(FOLDER, 0, number),
    /** A block with that many records that carry a number. */
    block: (mark: number, records = 1): void => {
      for (let nth = 0; nth < records; nth += 1) addMarked(mark);
      log.drain();
    },
    cut: (number: number): void => {
      add(CUT_BYTES, RecordKind.cut, (word) => {
        memory.words[word + Record.transaction] = number;
      });
      log.drain();
    },
  };
}

/** The number that a block's first record carries. */
export function markOf(block: Buffer): number {
  return block.readInt32LE(4 * MARK_WORD);
}
