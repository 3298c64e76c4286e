/** A shard's log on a disk that tears, loses, and fails. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockReader, DamagedFile, type TornEnd } from '../blocks/block-reader.ts';
import { decodeFileHead, FILE_HEAD_BYTES, type FileHead, FORMATS } from '../blocks/file-head.ts';
import { FIXTURE_BLOCK_BYTES as BLOCK_BYTES, logFixture, markOf } from './log.test-helper.ts';

const logs = suite('log of a shard');

const folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-log-'));
logs.after(() => {
  fs.rmSync(folder, { recursive: true });
});

const startOf = (block: number): number => FILE_HEAD_BYTES + (block - 1) * BLOCK_BYTES;

interface Read {
  readonly marks: readonly number[];
  readonly torn: TornEnd | undefined;
}

/** Blocks 1 to `count`, of which those up to `synced` are on disk for certain before the rest is written. */
function written(count: number, synced: number) {
  const fixture = logFixture();
  fixture.log.begin(1, 1, 0);
  for (let mark = 1; mark <= count; mark += 1) {
    fixture.block(mark);
    if (mark === synced) fixture.log.sync();
  }
  const file = fixture.file(1);
  const bytes = fixture.disk.files.get(file)!;
  const read = (survived: Buffer, isFinished = false): Read => {
    const name = fixture.disk.survive(file, folder, survived);
    const reader = new BlockReader('log', name);
    const marks: number[] = [];
    try {
      for (let block = reader.next(); block !== undefined; block = reader.next()) {
        marks.push(markOf(block));
      }
      return { marks, torn: reader.end(isFinished) };
    } finally {
      reader.close();
    }
  };
  return { ...fixture, bytes, read };
}

function damageIn(read: () => unknown): DamagedFile {
  try {
    read();
  } catch (error) {
    assert.instance(error, DamagedFile);
    return error as DamagedFile;
  }
  throw new Error('no damage was found');
}

const changed = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = copy[at]! ^ 0x10;
  return copy;
};

logs('a last block that is torn at any byte is left out, and what is before it is read', () => {
  const { bytes, read } = written(3, 2);
  assert.equal(read(bytes), { marks: [1, 2, 3], torn: undefined });
  for (let end = startOf(3); end < bytes.length; end += 1) {
    const rest = end - startOf(3);
    const torn = rest === 0 ? undefined : { offset: startOf(3), bytes: rest };
    assert.equal(read(bytes.subarray(0, end)), { marks: [1, 2], torn }, `at ${end}`);
  }
});

logs('a last block with any byte changed is a torn end, not damage', () => {
  const { bytes, read } = written(3, 2);
  for (let at = startOf(3); at < bytes.length; at += 1) {
    const torn = { offset: startOf(3), bytes: BLOCK_BYTES };
    assert.equal(read(changed(bytes, at)), { marks: [1, 2], torn }, `at ${at}`);
  }
});

logs('the same in a file that was finished is damage', () => {
  const { bytes, read } = written(3, 2);
  assert.is(damageIn(() => read(bytes.subarray(0, -1), true)).offset, startOf(3));
  assert.is(damageIn(() => read(changed(bytes, startOf(2)), true)).offset, startOf(2));
  assert.equal(read(bytes, true).torn, undefined);
});

logs(
  'blocks that were not synced may be lost in any way: reading ends before the first',
  withRandom((random: Random) => {
    const { bytes, read } = written(7, 2);
    for (let nth = 0; nth < 200; nth += 1) {
      const survived = Buffer.from(bytes.subarray(0, random.integer(startOf(3), bytes.length)));
      let first = 8;
      for (let block = 3; block <= 7; block += 1) {
        const isLost = random.chance(0.4);
        const end = Math.min(startOf(block + 1), survived.length);
        if (isLost && startOf(block) < end) survived.fill(0, startOf(block), end);
        const isWhole = !isLost && startOf(block + 1) <= survived.length;
        if (!isWhole) first = Math.min(first, block);
      }
      const { marks, torn } = read(survived);
      assert.equal(marks, [1, 2, 3, 4, 5, 6, 7].slice(0, first - 1));
      const rest = survived.subarray(startOf(first));
      // Zeros may have been written ahead: nothing says that anything is missing.
      assert.is(torn?.bytes ?? 0, rest.some((byte) => byte !== 0) ? rest.length : 0);
    }
  }),
);

logs("a block in another one's place ends the reading", () => {
  const { bytes, read } = written(4, 1);
  const survived = Buffer.from(bytes);
  bytes.copy(survived, startOf(2), startOf(3), startOf(4));
  bytes.copy(survived, startOf(3), startOf(2), startOf(3));
  assert.equal(read(survived).marks, [1]);
});

logs('a synced block that is changed in any byte is damage, and so is one that is missing', () => {
  const { bytes, read } = written(4, 2);
  for (let at = startOf(1); at < startOf(3); at += 1) {
    const { offset, message } = damageIn(() => read(changed(bytes, at)));
    assert.is(offset, at < startOf(2) ? startOf(1) : startOf(2));
    assert.match(
      message,
      /0000000001.log is damaged at offset \d+: a block is not what was written/,
    );
  }
  const without = Buffer.concat([bytes.subarray(0, startOf(2)), bytes.subarray(startOf(3))]);
  assert.is(damageIn(() => read(without)).offset, startOf(2));
});

logs('blocks are numbered from 1 in each segment, and segments know the one before', () => {
  const { log, block, cut, disk, file } = logFixture();
  log.begin(8, 1, 7);
  block(1);
  block(2);
  cut(11);
  block(3);
  log.close();
  for (const [number, previous, wanted] of [
    [8, 7, [1, 2]],
    [11, 8, [3]],
  ] as const) {
    const reader = new BlockReader('log', disk.survive(file(number), folder));
    assert.is(reader.head.previous, previous);
    assert.is(reader.head.number, number);
    for (const mark of wanted) assert.is(markOf(reader.next()!), mark);
    assert.is(reader.next(), undefined);
    assert.is(reader.end(true), undefined);
    reader.close();
  }
});

/** The head of a segment of a fixture. */
function headOf({ disk, file }: ReturnType<typeof logFixture>, number: number): FileHead {
  return decodeFileHead('log', disk.files.get(file(number))!);
}

logs('a log that begins anew says in each segment on what it rests, until that is there', () => {
  const fixture = logFixture();
  const { log, block, cut, progress } = fixture;
  progress.hasFailed = true;
  log.found(7, 3);
  assert.not.ok(progress.hasFailed);
  block(1);
  cut(8);
  block(2);
  log.founded();
  cut(9);
  const heads = [7, 8, 9].map((number) => headOf(fixture, number));
  assert.equal(
    heads.map(({ epoch, previous, foundation, format }) => [epoch, previous, foundation, format]),
    [
      [3, 0, 7, FORMATS.log],
      [3, 7, 7, FORMATS.log],
      [3, 8, 0, FORMATS.log],
    ],
  );
});

logs('a log that failed, was closed and begins anew has lost nothing', () => {
  const fixture = logFixture();
  const { log, block, disk, owner, put, file } = fixture;
  log.begin(1, 1, 0);
  disk.fail('append', 'ENOSPC', 0);
  block(1);
  put(2);
  log.drain();
  log.close();
  assert.is(owner.get('lost'), 2);
  log.found(2, 2);
  block(3);
  log.close();
  assert.equal([headOf(fixture, 2).lostBefore, headOf(fixture, 1).brokenMs > 0], [0, true]);
  assert.is(disk.files.get(file(2))!.length, FILE_HEAD_BYTES + BLOCK_BYTES);
});

logs(
  'a log that cannot begin anew throws why, and leaves no segment; nor does one taken back',
  () => {
    const { log, disk, file } = logFixture();
    for (const call of ['makeFolder', 'create', 'append', 'syncNow'] as const) {
      disk.fail(call, 'ENOSPC', 0);
      assert.throws(() => {
        log.found(4, 1);
      }, /ENOSPC/);
      log.unfound();
      assert.not.ok(disk.files.has(file(4)), call);
    }
    log.found(4, 1);
    assert.ok(disk.files.has(file(4)));
    log.unfound();
    assert.not.ok(log.isOpen);
    assert.not.ok(disk.files.has(file(4)));
  },
);

logs('who waits for what a cut ends waits for the cut too, and is told of it', () => {
  const { log, block, cut, progress, writer } = logFixture();
  log.begin(1, 1, 0);
  block(1);
  cut(2);
  assert.ok(progress.isSynced(writer.published));
});

logs(
  'who waits for a cut that came after a failure is told when a snapshot holds what was lost',
  () => {
    const { log, block, cut, disk, progress, writer } = logFixture();
    log.begin(1, 1, 0);
    disk.fail('append', 'ENOSPC', 0);
    block(1);
    log.heal();
    assert.ok(progress.hasFailed, 'nothing was begun anew');
    cut(2);
    assert.not.ok(progress.isSynced(writer.published));
    log.heal();
    assert.not.ok(progress.hasFailed);
    assert.ok(progress.isSynced(writer.published));
  },
);

for (const [code, bytes] of [
  ['ENOSPC', 0],
  ['ENOSPC', 40],
  ['EIO', BLOCK_BYTES - 1],
] as const) {
  logs(`${code} after ${bytes} bytes of a write: the log ends whole, and loss is counted`, () => {
    const { log, block, cut, disk, file, figures, failures, progress, writer } = logFixture();
    log.begin(1, 1, 0);
    block(1);
    log.sync();
    block(2, 2);
    disk.fail('append', code, bytes);
    block(3, 3);
    assert.equal(failures, [`0 ${code}: the disk was told to fail`]);
    assert.ok(progress.hasFailed);
    assert.not.ok(log.isOpen);
    assert.is(figures.get('writeErrors'), 1);
    assert.is(figures.get('lostRecords'), 3, 'of the write: what was written before is synced');
    const { length } = disk.calls;
    block(4, 4);
    log.sync();
    assert.is(disk.calls.length, length, 'the file is never touched again');
    assert.is(figures.get('lostRecords'), 7);
    assert.not.ok(progress.isSynced(writer.published));
    cut(5);
    assert.ok(log.isOpen);
    block(6);
    log.sync();
    assert.ok(progress.isSynced(writer.published));
    const first = new BlockReader('log', disk.survive(file(1), folder));
    assert.equal([markOf(first.next()!), markOf(first.next()!)], [1, 2]);
    assert.is(first.next(), undefined);
    assert.is(first.end(true), undefined, 'the half block is cut off');
    first.close();
    assert.ok(first.head.brokenMs > 0, 'its head says that the log could not go on');
    const next = new BlockReader('log', disk.survive(file(5), folder));
    assert.is(markOf(next.next()!), 6);
    assert.is(next.head.lostBefore, 7, 'and the next how much is missing');
    next.close();
    cut(6);
    const healed = new BlockReader('log', disk.survive(file(6), folder));
    assert.equal([healed.head.lostBefore, healed.head.brokenMs], [0, 0]);
    healed.close();
    assert.is(failures.length, 1);
  });
}

logs('segments without records leave no more than one, and what the log lacks stays said', () => {
  const fixture = logFixture();
  const { log, block, cut, disk, file } = fixture;
  const segments = (): string[] => [...disk.files.keys()];
  log.begin(1, 1, 0);
  block(1);
  for (const number of [2, 3, 4]) cut(number);
  assert.equal(segments(), [file(1), file(4)]);
  assert.is(headOf(fixture, 4).previous, 1);
  block(2);
  disk.fail('append', 'ENOSPC', 0);
  block(3, 3);
  for (const number of [5, 6]) cut(number);
  assert.equal(segments(), [file(1), file(4), file(6)]);
  const { previous, lostBefore } = headOf(fixture, 6);
  assert.equal([previous, lostBefore], [4, 3]);
  // What the next segment says is removed only where the one before says it too.
  disk.fail('rewrite', 'EIO');
  cut(7);
  assert.equal(segments(), [file(1), file(4), file(6), file(7)]);
  log.heal();
  block(8);
  cut(9);
  assert.equal([headOf(fixture, 9).previous, headOf(fixture, 9).lostBefore], [7, 0]);
});

logs('the first failure is the one of which the segment before keeps the time', () => {
  const fixture = logFixture();
  const { log, block, cut, disk } = fixture;
  log.begin(1, 1, 0);
  disk.fail('append', 'ENOSPC', 0);
  block(1);
  const { brokenMs } = headOf(fixture, 1);
  assert.ok(brokenMs > 0);
  cut(2);
  while (Date.now() <= brokenMs);
  cut(3);
  assert.is(headOf(fixture, 1).brokenMs, brokenMs);
});

logs('a log whose file is gone fails, and is written again where the next segment begins', () => {
  const { log, block, cut, disk, file, failures, progress } = logFixture();
  log.begin(1, 1, 0);
  block(1);
  log.look();
  assert.equal(failures, []);
  disk.remove(file(1));
  log.look();
  assert.match(failures.join(), /^0 .*1\.log is missing/);
  assert.ok(progress.hasFailed);
  log.look();
  assert.is(failures.length, 1);
  cut(2);
  log.heal();
  log.look();
  assert.not.ok(progress.hasFailed);
  assert.is(failures.length, 1);
});

logs('a sync that fails is not tried again: the log fails, and loss is counted', () => {
  const { log, block, disk, figures, failures, progress, writer } = logFixture();
  log.begin(1, 1, 0);
  block(1, 3);
  disk.fail('sync', 'EIO');
  log.sync();
  assert.equal(failures, ['0 EIO: the disk was told to fail']);
  assert.is(figures.get('syncErrors'), 1);
  assert.is(figures.get('lostRecords'), 3);
  assert.is(figures.get('unsyncedRecords'), 0);
  assert.not.ok(progress.isSynced(writer.published));
  log.sync();
  log.close();
  assert.is(disk.calls.filter(([call]) => call === 'sync').length, 1);
  assert.not.ok(progress.isSynced(writer.published));
});

logs(
  'a sync that comes due while one is under way follows it, and covers what came between',
  async () => {
    const { log, block, disk, figures, progress, writer } = logFixture();
    log.begin(1, 1, 0);
    disk.holdsSyncs = true;
    block(1);
    log.sync();
    const first = writer.published;
    block(2);
    log.sync();
    assert.is(disk.syncsUnderWay, 1);
    assert.is(figures.get('delayedSyncs'), 1);
    disk.endSync();
    assert.ok(progress.isSynced(first));
    assert.not.ok(progress.isSynced(writer.published), 'what came later is not on disk yet');
    await Promise.resolve();
    assert.is(disk.syncsUnderWay, 1);
    disk.endSync();
    assert.ok(progress.isSynced(writer.published));
    await Promise.resolve();
    assert.is(disk.syncsUnderWay, 0);
    assert.not.ok(log.isDirty);
  },
);

logs('a sync that fails after its segment was finished fails the log', () => {
  const { log, block, cut, disk, failures } = logFixture();
  log.begin(1, 1, 0);
  disk.holdsSyncs = true;
  block(1);
  disk.fail('sync', 'EIO');
  log.sync();
  cut(2);
  disk.endSync();
  assert.equal(failures, ['0 EIO: the disk was told to fail']);
  assert.not.ok(log.isOpen);
});

logs('a sync that finds its file closed does not', () => {
  const { log, block, cut, disk, failures } = logFixture();
  log.begin(1, 1, 0);
  disk.holdsSyncs = true;
  block(1);
  disk.fail('sync', 'EBADF');
  log.sync();
  cut(2);
  disk.endSync();
  assert.equal(failures, []);
  assert.ok(log.isOpen);
});

for (const call of ['makeFolder', 'create', 'append', 'syncNow'] as const) {
  logs(`a segment that cannot be begun, at ${call}: the log fails, and goes on in the next`, () => {
    const { log, block, cut, disk, figures, failures, progress } = logFixture();
    disk.fail(call, 'ENOSPC');
    log.begin(1, 1, 0);
    const noMark = '(and the failure cannot be marked on disk)';
    assert.equal(failures, [`0 ENOSPC: the disk was told to fail ${noMark}`]);
    assert.ok(progress.hasFailed);
    block(1);
    assert.is(figures.get('lostRecords'), 1);
    cut(2);
    assert.ok(log.isOpen);
    block(2);
    assert.is(figures.get('records'), 1);
  });
}

for (const call of ['create', 'append', 'syncNow'] as const) {
  logs(
    `a segment that cannot be begun, at ${call}: the one before says so, and is the last`,
    () => {
      const { log, block, cut, disk, file } = logFixture();
      log.begin(1, 1, 0);
      block(1);
      disk.fail(call, 'ENOSPC', 64);
      if (call === 'syncNow') log.sync();
      cut(2);
      const before = new BlockReader('log', disk.survive(file(1), folder));
      before.close();
      assert.ok(before.head.brokenMs > 0);
      assert.not.ok(disk.files.has(file(2)), 'nothing of the next is there');
    },
  );
}

logs('a disk that takes no mark either is told', () => {
  const { log, block, disk, failures } = logFixture();
  log.begin(1, 1, 0);
  disk.fail('append', 'EROFS');
  disk.fail('rewrite', 'EROFS');
  block(1);
  assert.equal(failures, [
    '0 EROFS: the disk was told to fail (and the failure cannot be marked on disk)',
  ]);
});

logs('the last sync of a segment that fails is a failure, and its records are lost', () => {
  const { log, block, disk, figures, failures } = logFixture();
  log.begin(1, 1, 0);
  block(1, 2);
  disk.fail('syncNow', 'EIO');
  log.close();
  assert.equal(failures, ['0 EIO: the disk was told to fail']);
  assert.is(figures.get('lostRecords'), 2);
});

logs.run();
