/** Tests of the contents of a data folder: heads, manifests, gaps, what is too old to be kept, and who owns it. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockReader, DamagedFile } from '../blocks/block-reader.ts';
import { DataFolder, DataFolderError } from './data-folder.ts';
import { realDisk } from '../disk.ts';
import { FakeDisk } from '../fake-disk.test-helper.ts';
import {
  decodeFileHead,
  encodeFileHead,
  FILE_HEAD_BYTES,
  FileHeadError,
  FORMATS,
} from '../blocks/file-head.ts';
import { FolderLock } from './folder-lock.ts';
import { MANIFEST, segmentFile, snapshotFile, snapshotFolder } from '../layout.ts';
import { parseManifest } from '../blocks/manifest.ts';
import { removeAllBut, removeOld } from '../log/retention.ts';

const folders = suite('data folder');

const base = fs.mkdtempSync(path.join(tmpdir(), 'svc-folder-'));
const children: ChildProcess[] = [];
folders.after(() => {
  for (const child of children) child.kill('SIGKILL');
  fs.rmSync(base, { recursive: true });
});

const USUAL_HEAD = {
  shard: 1,
  shards: 3,
  number: 9,
  epoch: 4,
  createdMs: 1_700_000_000_000.5,
  previous: 8,
  lostBefore: 3,
  brokenMs: 1_700_000_000_001.5,
  foundation: 9,
};
const HEAD = { ...USUAL_HEAD, format: FORMATS.log };
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

/** A segment of the only shard, with something behind its head. */
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

folders('a head comes back as it was, and says what is wrong with it', () => {
  const bytes = Buffer.from(encodeFileHead('log', HEAD));
  assert.equal(decodeFileHead('log', bytes), HEAD);
  const reasonOf = (head: Buffer, kind: 'log' | 'snapshot' = 'log'): string => {
    try {
      decodeFileHead(kind, head);
    } catch (error) {
      assert.instance(error, FileHeadError);
      return (error as Error).message;
    }
    return 'nothing';
  };
  assert.is(reasonOf(bytes.subarray(0, -1)), 'ends within its head');
  assert.is(reasonOf(bytes, 'snapshot'), 'is no snapshot of this server');
  for (let at = 0; at < bytes.length; at += 1) {
    const harmed = Buffer.from(bytes);
    harmed[at] = harmed[at]! ^ 0x80;
    assert.match(
      reasonOf(harmed),
      /is no log of this server|has format|has a damaged head/,
      `${at}`,
    );
  }
  const newer = Buffer.from(bytes);
  newer.writeUInt32LE(FORMATS.log + 1, 8);
  assert.is(
    reasonOf(newer),
    `has format ${FORMATS.log + 1}; this version reads up to ${FORMATS.log}`,
  );
});

folders('a file without a head of its kind is damaged at its beginning', () => {
  const file = path.join(newFolder(), 'file');
  for (const bytes of ['', 'x'.repeat(100), encodeFileHead('snapshot', HEAD)]) {
    put(file, bytes);
    try {
      new BlockReader('log', file);
      assert.unreachable('it was read');
    } catch (error) {
      assert.instance(error, DamagedFile);
      assert.is((error as DamagedFile).offset, 0);
    }
  }
});

const manifests: readonly (readonly [text: string, reason: RegExp])[] = [
  ['', /JSON/],
  ['null', /null/],
  ['{"format":2}', /format 2; this version reads up to 1/],
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
    /0000000001.log: the log could not be written behind offset 72, since 2023-11-14T22:13:20.000Z/;
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
  assert.throws(() => new DataFolder(folder), /has format 4; this version reads up to 3/);
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

folders('a segment is of the format before, unless it rests on a snapshot to come', () => {
  const formatOf = (foundation: number): number | undefined => {
    const head = encodeFileHead('log', { ...USUAL_HEAD, foundation });
    return decodeFileHead('log', Buffer.from(head)).format;
  };
  assert.equal([formatOf(0), formatOf(9)], [2, 3]);
});

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
  const refusal = /0000000003\.log rests on snapshot 3, which cannot be read/;
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
    '0000000002.log rests on snapshot 2, which cannot be read',
  );
});

/** Numbers of segments and snapshots that are there. */
function left(disk: FakeDisk): readonly [segments: number[], snapshots: number[]] {
  const names = [...disk.files.keys()];
  const numbers = (pattern: RegExp): number[] =>
    names.flatMap((name) => pattern.exec(name)?.slice(1).map(Number) ?? []).sort((a, b) => a - b);
  return [numbers(/(\d+)\.log$/), numbers(/(\d{10})\/manifest/)];
}

function fullDisk(): FakeDisk {
  const disk = new FakeDisk();
  for (let number = 1; number <= 7; number += 1) {
    disk.create(segmentFile('/data', 0, number));
    if (number % 2 === 0) disk.create(path.join(snapshotFolder('/data', number), MANIFEST));
  }
  return disk;
}

for (const [most, wanted] of [
  [
    5,
    [
      [4, 5, 6, 7],
      [2, 4, 6],
    ],
  ],
  [
    2,
    [
      [4, 5, 6, 7],
      [4, 6],
    ],
  ],
  [1, [[6, 7], [6]]],
] as const) {
  folders(`of three snapshots ${most} may stay: the log reaches back to the second newest`, () => {
    const disk = fullDisk();
    removeOld(disk, '/data', most);
    assert.equal(left(disk), wanted);
  });
}

folders('without a snapshot no segment goes; data of other shards goes all', () => {
  const disk = fullDisk();
  for (const number of [2, 4, 6]) disk.remove(snapshotFolder('/data', number));
  removeOld(disk, '/data', 1);
  assert.equal(left(disk), [[1, 2, 3, 4, 5, 6, 7], []]);
  const other = fullDisk();
  removeAllBut(other, '/data', 6);
  assert.equal(left(other), [[6, 7], [6]]);
});

folders('a write that the system cuts short is gone on with, to the last byte', () => {
  const folder = newFolder();
  realDisk.makeFolder(folder);
  const file = path.join(folder, 'file');
  const pieces = ['', 'one', '', 'another', 'x'].map((text) => Buffer.from(text));
  const { writevSync } = fs;
  const fd = realDisk.create(file);
  try {
    fs.writevSync = (to, buffers) => {
      const all = Buffer.concat(buffers as Buffer[]);
      return fs.writeSync(to, all, 0, Math.min(2, all.length));
    };
    realDisk.append(fd, pieces);
  } finally {
    fs.writevSync = writevSync;
    realDisk.close(fd);
  }
  assert.is(fs.readFileSync(file, 'utf8'), 'oneanotherx');
  assert.throws(() => realDisk.create(file), /EEXIST/);
  assert.equal(realDisk.list(path.join(folder, 'none')), []);
});

/** Returns the state and the start time of a process, as the system reports them. */
function statOf(pid: number): { readonly state: string; readonly started: string } {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0]!, started: fields[19]! };
}

function lockBy(owner: unknown): string {
  const folder = newFolder();
  put(path.join(folder, 'lock'), typeof owner === 'string' ? owner : JSON.stringify(owner));
  return folder;
}

/** Returns the message with which a lock of the folder is refused. */
async function lockRefusal(folder: string): Promise<string> {
  try {
    const lock = await FolderLock.take(folder);
    lock.release();
    return 'not refused';
  } catch (error) {
    return (error as Error).message;
  }
}

async function takeAndRelease(folder: string): Promise<void> {
  (await FolderLock.take(folder)).release();
}

folders('a lock is held once, and given back', async () => {
  const folder = newFolder();
  fs.mkdirSync(folder);
  const lock = await FolderLock.take(folder);
  assert.match(await lockRefusal(folder), `is in use by process ${process.pid}`);
  lock.release();
  await takeAndRelease(folder);
  assert.equal(fs.readdirSync(folder), []);
});

folders('a folder whose name is longer than that of a socket may be', async () => {
  const folder = path.join(newFolder(), 'x'.repeat(200));
  fs.mkdirSync(folder, { recursive: true });
  const lock = await FolderLock.take(folder);
  assert.match(fs.readdirSync(folder).join(), /^lock,lock\.\d+\.\w+\.sock$/);
  assert.match(await lockRefusal(folder), `is in use by process ${process.pid}`);
  lock.release();
});

folders('the lock of a running process holds; of one that has ended it does not', async () => {
  const child = spawn('sleep', ['100']);
  children.push(child);
  const pid = child.pid!;
  const { started } = statOf(pid);
  const folder = lockBy({ pid, started });
  assert.match(await lockRefusal(folder), `is in use by process ${pid}`);
  await takeAndRelease(lockBy({ pid, started: String(Number(started) - 1) }));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('exit', resolve));
  await takeAndRelease(folder);
});

folders('the lock of a process that has ended, and was not waited for, does not hold', async () => {
  // The shell is another program before it could have waited for it.
  const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 100']);
  children.push(parent);
  const text = await new Promise<string>((resolve) => {
    parent.stdout.on('data', (bytes: Buffer) => {
      resolve(bytes.toString());
    });
  });
  const pid = Number(text);
  await until(() => statOf(pid).state === 'Z', 'the process has ended');
  await takeAndRelease(lockBy({ pid, started: statOf(pid).started }));
});

folders('the lock of another machine holds while it beats', async () => {
  const folder = lockBy({ pid: process.pid, started: '1', boot: 'of another machine' });
  const file = path.join(folder, 'lock');
  const beating = setInterval(() => {
    fs.utimesSync(file, new Date(), new Date());
  }, 50);
  assert.match(await lockRefusal(folder), `is in use by process ${process.pid}`);
  clearInterval(beating);
  await takeAndRelease(folder);
});

folders(
  'a lock that nobody can read is taken over; one that cannot be written is told',
  async () => {
    await takeAndRelease(lockBy('no owner'));
    const none = path.join(newFolder(), 'none');
    assert.match(await lockRefusal(none), 'lock cannot be written: ENOENT');
  },
);

folders.run();
