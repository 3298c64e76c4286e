/**
 * Tests of a log that a shard writes itself because replies wait for it: the disk thread and the shard each continue
 * where the other stopped.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockReader } from '../blocks/block-reader.ts';
import { logFixture, markOf } from './log.test-helper.ts';

const logs = suite('log written by its shard');

let folder = '';
logs.before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'svc-log-here-'));
});
logs.after(() => {
  rmSync(folder, { recursive: true });
});

type Fixture = ReturnType<typeof logFixture>;

/** Returns the marks of the first records of a segment's blocks. */
function marksIn({ disk, file }: Fixture, number: number): number[] {
  const reader = new BlockReader('log', disk.survive(file(number), folder));
  const marks: number[] = [];
  for (let block = reader.next(); block !== undefined; block = reader.next())
    marks.push(markOf(block));
  assert.is(reader.end(false), undefined, 'nothing is torn');
  reader.close();
  return marks;
}

function begun(): Fixture {
  const fixture = logFixture();
  fixture.log.begin(1, 1, 0);
  return fixture;
}

logs('blocks follow each other, whoever writes them, and are on disk when it returns', () => {
  const fixture = begun();
  const { own, log, put, block, cut, progress, writer, figures, disk } = fixture;
  put(1);
  assert.ok(own.writeHere(true));
  assert.ok(progress.isSynced(writer.published));
  assert.is(figures.get('unsyncedBytes'), 0);
  assert.is(figures.get('syncs'), 1);
  block(2);
  assert.not.ok(progress.isSynced(writer.published));
  assert.ok(log.isDirty);
  put(3);
  assert.ok(own.writeHere(true));
  assert.not.ok(log.isDirty, 'what the disk thread had written is synced with the rest');
  assert.ok(progress.isSynced(writer.published));
  const { length } = disk.calls;
  assert.ok(own.writeHere(true));
  assert.is(disk.calls.length, length, 'nothing is left to do');
  cut(2);
  put(4);
  assert.ok(own.writeHere(true));
  block(5);
  log.sync();
  assert.is(figures.get('blocks'), 5);
  log.close();
  assert.equal(marksIn(fixture, 1), [1, 2, 3]);
  assert.equal(marksIn(fixture, 2), [4, 5]);
});

logs('the disk thread has to where it is at it, and where the log cannot be written', () => {
  const { own, owner, put, log, disk, progress, writer } = begun();
  put(1);
  owner.take();
  assert.is(own.writeHere(true), false);
  owner.give();
  assert.not.ok(progress.isSynced(writer.published));
  assert.ok(own.writeHere(true));
  disk.fail('append', 'ENOSPC', 0);
  put(2);
  log.drain();
  put(3);
  assert.is(own.writeHere(true), false);
  assert.not.ok(progress.isSynced(writer.published));
});

for (const call of ['append', 'syncNow'] as const) {
  logs(`a ${call} that fails in the shard fails the log for both`, () => {
    const fixture = begun();
    const { own, log, put, block, cut, disk, progress, writer, figures, failures } = fixture;
    put(1);
    own.writeHere(true);
    put(2);
    disk.fail(call, 'EIO', 0);
    assert.ok(own.writeHere(true));
    assert.ok(progress.hasFailed);
    assert.not.ok(progress.isSynced(writer.published));
    assert.equal(failures, ['0 EIO: the disk was told to fail']);
    assert.not.ok(log.isOpen);
    const closed = (): number => disk.calls.filter(([name]) => name === 'close').length;
    assert.is(closed(), 0, 'Node closes a file with the thread that has opened it');
    assert.is(figures.get('lostRecords'), 1);
    block(3);
    assert.is(figures.get('lostRecords'), 2);
    cut(7);
    assert.is(closed(), 1);
    log.heal();
    assert.not.ok(progress.hasFailed);
    put(4);
    assert.ok(own.writeHere(true));
    log.close();
    const marks = marksIn(fixture, 1);
    assert.is(marks[0], 1);
    assert.equal(marksIn(fixture, 7), [4]);
  });
}

logs(
  'while the disk thread does not wait for a sync of its own, the shard begins no second',
  () => {
    const { own, log, put, block, disk, progress, writer, figures } = begun();
    disk.holdsSyncs = true;
    block(1);
    log.sync();
    const first = writer.published;
    put(2);
    assert.is(own.writeHere(true), false);
    assert.not.ok(progress.isSynced(first));
    disk.endSync();
    assert.ok(progress.isSynced(first));
    assert.not.ok(progress.isSynced(writer.published));
    assert.ok(own.writeHere(true));
    assert.ok(progress.isSynced(writer.published));
    assert.is(figures.get('unsyncedBytes'), 0);
    assert.is(figures.get('unsyncedRecords'), 0);
    assert.not.ok(log.isDirty);
  },
);

logs('an error that such a sync is told of is not passed by', () => {
  const { own, log, put, block, disk, progress, writer } = begun();
  disk.holdsSyncs = true;
  block(1);
  disk.fail('sync', 'EIO');
  log.sync();
  put(2);
  // The system would report success for a second sync.
  assert.is(own.writeHere(true), false);
  disk.endSync();
  assert.ok(progress.hasFailed);
  assert.is(own.writeHere(true), false);
  assert.not.ok(progress.isSynced(writer.published));
});

logs(
  'what is only written waits for no sync, and the disk thread is told once that there is one to do',
  () => {
    const fixture = begun();
    const { own, log, put, disk, progress, writer, state } = fixture;
    put(1);
    assert.ok(own.writeHere(false));
    assert.not.ok(progress.isSynced(writer.published));
    assert.ok(log.isDirty);
    assert.is(state.wakes, 1);
    disk.holdsSyncs = true;
    log.sync();
    put(2);
    assert.ok(own.writeHere(false), 'while another waits for the sync');
    assert.is(state.wakes, 1, 'whoever syncs looks again by itself');
    disk.endSync();
    assert.ok(log.isDirty, 'the second write came later');
    disk.holdsSyncs = false;
    log.sync();
    assert.ok(progress.isSynced(writer.published));
    put(3);
    assert.ok(own.writeHere(false));
    assert.is(state.wakes, 2);
    log.close();
    assert.equal(marksIn(fixture, 1), [1, 2, 3]);
  },
);

logs.run();
