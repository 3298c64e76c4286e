/** The contents of a data folder: manifests, plans of recovery, gaps and holes of the log. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DataFolder, DataFolderError } from './data-folder.ts';
import { encodeFileHead, FILE_HEAD_BYTES, FORMATS } from '../blocks/file-head.ts';
import { MANIFEST, segmentFile, snapshotFile, snapshotFolder } from '../layout.ts';
import { parseManifest } from '../blocks/manifest.ts';

const folders = suite('data folder');

const base = fs.mkdtempSync(path.join(tmpdir(), 'svc-folder-'));
folders.after(() => {
  fs.rmSync(base, { recursive: true });
});

let made = 0;

function newFolder(): string {
  made += 1;
  return path.join(base, String(made));
}

function put(file: string, bytes: Uint8Array | string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, bytes);
}

/** A head of the format that comes next, as a server of a later version writes it. */
function newerFormat(bytes: Buffer): Buffer {
  const head = Buffer.from(bytes);
  head.writeUInt32LE(FORMATS.log + 1, 8);
  head.writeUInt32LE(0, 28);
  head.writeUInt32LE(crc32(head.subarray(0, FILE_HEAD_BYTES)), 28);
  return head;
}

interface SegmentOptions {
  readonly lostBefore?: number;
  readonly brokenMs?: number;
  readonly foundation?: number;
  readonly epoch?: number;
  readonly shards?: number;
  /** Behind its head. */
  readonly bytes?: number;
}

/** A segment of the only shard, with something after its head. */
function segment(
  folder: string,
  number: number,
  previous: number,
  options: SegmentOptions = {},
): void {
  const { lostBefore = 0, brokenMs = 0, foundation = 0, bytes = 8 } = options;
  const { epoch = 1, shards = 1 } = options;
  const ofLog = { previous, lostBefore, brokenMs, foundation };
  const head = { shard: 0, shards, number, epoch, createdMs: 0, ...ofLog };
  put(
    segmentFile(folder, 0, number),
    Buffer.concat([encodeFileHead('log', head), Buffer.alloc(bytes)]),
  );
}

function manifestOf(number: number): string {
  const file = { shard: 0, keys: 5, bytes: 10, unpacked_bytes: 20 };
  const times = { created_ms: 1, duration_ms: 1 };
  return JSON.stringify({
    format: FORMATS.snapshot,
    number,
    epoch: 1,
    shards: 1,
    ...times,
    files: [file],
  });
}

function snapshot(folder: string, number: number): void {
  const where = snapshotFolder(folder, number);
  put(path.join(where, MANIFEST), manifestOf(number));
  put(snapshotFile(where, 0), Buffer.alloc(10));
}

function refusalOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.instance(error, DataFolderError);
    return (error as Error).message;
  }
  throw new Error('it was not refused');
}

const manifests: readonly (readonly [text: string, reason: RegExp])[] = [
  ['', /JSON/],
  ['null', /null/],
  ['{"format":3}', /format 3; this version reads up to 2/],
  ['{}', /format undefined/],
  ['{"format":1,"shards":2,"files":[{}]}', /does not name a file for each shard/],
  ['{"format":1,"shards":1,"files":"all"}', /does not name a file for each shard/],
];
for (const [text, reason] of manifests) {
  folders(`the manifest ${JSON.stringify(text)} is refused`, () => {
    assert.throws(() => parseManifest(text), reason);
    const folder = newFolder();
    segment(folder, 1, 0);
    put(path.join(snapshotFolder(folder, 2), MANIFEST), text);
    const found = new DataFolder(folder);
    assert.is(found.snapshots.length, 0);
    assert.match(found.rejected.join(), reason);
    fs.rmSync(segmentFile(folder, 0, 1));
    assert.match(
      refusalOf(() => new DataFolder(folder)),
      'and nothing else has the data',
    );
  });
}

folders('a plan has the snapshot and the segments behind it, or all segments', () => {
  const folder = newFolder();
  for (const [number, previous] of [
    [1, 0],
    [2, 1],
    [5, 2],
    [6, 5],
  ] as const) {
    segment(folder, number, previous);
  }
  snapshot(folder, 2);
  snapshot(folder, 5);
  const found = new DataFolder(folder);
  const numbersOf = (nth: number): number[] =>
    found.plan(nth).shards[0]!.segments.map((file) => Number(path.basename(file, '.log')));
  assert.equal(
    [numbersOf(0), numbersOf(1), numbersOf(2)],
    [
      [5, 6],
      [2, 5, 6],
      [1, 2, 5, 6],
    ],
  );
  assert.is(found.plan(0).shards[0]!.snapshotKeys, 5);
  assert.is(found.plan(2).manifest, undefined);
  assert.equal([found.lastSegment, found.lastOf(0)], [6, 6]);
});

folders('a log with a gap is refused, wherever it is', () => {
  const folder = newFolder();
  segment(folder, 1, 0);
  segment(folder, 2, 1);
  segment(folder, 4, 3);
  const gap = (nth: number): string => refusalOf(() => new DataFolder(folder).plan(nth));
  assert.match(gap(0), /the segment before .*0000000004.log is missing: the log has a gap/);
  snapshot(folder, 3);
  assert.match(gap(0), /0000000004.log is missing/, 'segment 3 is behind the snapshot');
  fs.rmSync(snapshotFolder(folder, 3), { recursive: true });
  snapshot(folder, 4);
  assert.is(new DataFolder(folder).plan(0).shards[0]!.segments.length, 1);
  assert.match(gap(1), /0000000004.log is missing/);
  fs.rmSync(segmentFile(folder, 0, 1));
  fs.rmSync(segmentFile(folder, 0, 4));
  assert.match(gap(1), /0000000002.log is missing/, 'the first is not there');
});

folders(
  'a hole in the log counts where records are behind it and no snapshot has what is lost',
  () => {
    const folder = newFolder();
    segment(folder, 1, 0, { brokenMs: 1_700_000_000_000 });
    segment(folder, 3, 1, { lostBefore: 7, bytes: 0 });
    const plan = (nth: number) => new DataFolder(folder).plan(nth).shards[0]!;
    const what = 'the log has a hole before it: 7 records could not be written';
    assert.is(plan(0).hole, undefined, 'nothing is behind it');
    assert.is(plan(0).unwritten, `${segmentFile(folder, 0, 3)}: ${what}`);
    segment(folder, 4, 3);
    assert.equal(plan(0).hole, { before: 1, what });
    assert.is(plan(0).unwritten, undefined);
    snapshot(folder, 2);
    assert.equal(plan(0).hole, { before: 0, what }, 'it came behind the snapshot');
    snapshot(folder, 3);
    assert.is(plan(0).hole, undefined);
    assert.equal(plan(1).hole, { before: 0, what });
  },
);

folders('a log that could not be written at its end is told until it is written again', () => {
  const folder = newFolder();
  segment(folder, 1, 0, { brokenMs: 1_700_000_000_000 });
  const unwritten = () => new DataFolder(folder).plan(0).shards[0]!.unwritten;
  const since =
    /0000000001.log: the log could not be written after offset 72, since 2023-11-14T22:13:20.000Z/;
  assert.match(unwritten()!, since);
  snapshot(folder, 2);
  assert.match(unwritten()!, since, 'nothing is behind the snapshot either');
  segment(folder, 2, 1);
  assert.is(unwritten(), undefined);
});

folders('a segment with a damaged head is one of the plan; of a newer format it is refused', () => {
  const folder = newFolder();
  segment(folder, 1, 0);
  segment(folder, 2, 1);
  segment(folder, 3, 2);
  const file = segmentFile(folder, 0, 2);
  const bytes = fs.readFileSync(file);
  for (let at = 0; at < 64; at += 1) {
    const harmed = Buffer.from(bytes);
    harmed[at] = harmed[at]! ^ 0x80;
    put(file, harmed);
    const found = new DataFolder(folder);
    assert.equal(
      found.plan(0).shards[0]!.segments,
      [1, 2, 3].map((nth) => segmentFile(folder, 0, nth)),
    );
    assert.equal([found.shards, found.lastSegment, found.lastOf(0)], [1, 3, 3]);
  }
  for (const number of [1, 2, 3]) put(segmentFile(folder, 0, number), Buffer.alloc(100, 1));
  const found = new DataFolder(folder);
  assert.equal([found.shards, found.lastSegment], [1, 3], 'what cannot be read is not nothing');
  put(file, newerFormat(bytes));
  assert.throws(() => new DataFolder(folder), /has format 5; this version reads up to 4/);
});

folders('a file that a snapshot names and that is not there is told', () => {
  const folder = newFolder();
  snapshot(folder, 2);
  fs.rmSync(snapshotFile(snapshotFolder(folder, 2), 0));
  assert.match(
    refusalOf(() => new DataFolder(folder).plan(0)),
    'shard-0.snapshot is missing',
  );
});

folders(
  'a segment without a whole head, and a snapshot under way, are stillborn; foreign names are let alone',
  () => {
    const folder = newFolder();
    segment(folder, 1, 0);
    put(segmentFile(folder, 0, 2), Buffer.alloc(63));
    put(path.join(folder, 'log', 'shard-0', 'notes.txt'), 'x');
    put(path.join(folder, 'log', 'other', '0000000009.log'), 'x');
    const partial = path.join(folder, 'snapshots', '0000000007.partial');
    put(path.join(partial, 'shard-0.snapshot'), 'x');
    put(path.join(folder, 'snapshots', 'mine.partial'), 'x');
    const found = new DataFolder(folder);
    assert.equal(found.stillborn, [partial, segmentFile(folder, 0, 2)]);
    assert.equal([found.lastSegment, found.snapshots.length, found.shards], [1, 0, 1]);
  },
);

folders('segments whose snapshot never came count for nothing, whatever they are of', () => {
  const folder = newFolder();
  snapshot(folder, 2);
  segment(folder, 2, 1);
  segment(folder, 3, 2);
  for (const number of [4, 5]) {
    segment(folder, number, number === 4 ? 0 : 4, { foundation: 4, epoch: 9, shards: 3 });
  }
  const found = new DataFolder(folder);
  const unfounded = [4, 5].map((number) => segmentFile(folder, 0, number));
  assert.equal(found.unfounded, unfounded);
  assert.equal([found.shards, found.lastEpoch, found.lastSegment, found.lastOf(0)], [1, 9, 5, 3]);
  const { segments } = found.plan(0).shards[0]!;
  assert.equal(
    segments,
    [2, 3].map((number) => segmentFile(folder, 0, number)),
  );
});

folders('nothing but segments without their snapshot is an empty folder', () => {
  const folder = newFolder();
  segment(folder, 1, 0, { foundation: 1 });
  const found = new DataFolder(folder);
  assert.equal([found.isEmpty, found.lastSegment, found.unfounded.length], [true, 1, 1]);
});

folders('segments count with a snapshot that they can rest on, and with none before it', () => {
  const folder = newFolder();
  snapshot(folder, 2);
  segment(folder, 2, 1);
  segment(folder, 3, 0, { foundation: 3 });
  segment(folder, 4, 3, { foundation: 3 });
  snapshot(folder, 4);
  const found = new DataFolder(folder);
  assert.equal(found.unfounded, []);
  assert.equal(found.plan(0).shards[0]!.segments, [segmentFile(folder, 0, 4)]);
  const refusal = /0000000003\.log depends on snapshot 3, which cannot be read/;
  for (const nth of [1, 2]) assert.throws(() => found.plan(nth), refusal);
});

folders('segments whose snapshot is damaged are no leftovers: the start is refused', () => {
  const folder = newFolder();
  segment(folder, 1, 0);
  segment(folder, 2, 0, { foundation: 2 });
  put(path.join(snapshotFolder(folder, 2), MANIFEST), '{');
  const found = new DataFolder(folder);
  assert.equal([found.unfounded, found.rejected.length], [[], 1]);
  assert.match(
    refusalOf(() => found.plan(0)),
    '0000000002.log depends on snapshot 2, which cannot be read',
  );
});

folders.run();
