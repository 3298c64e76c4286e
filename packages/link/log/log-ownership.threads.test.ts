/** One owner of a log at a time: nothing that one has written is lost to the other. */
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LOG_OWNER_BYTES, LogOwner, LogThread } from './log-ownership.ts';
import { LinkMemory } from '../memory.ts';

interface Task {
  readonly memory: WebAssembly.Memory;
  readonly rounds: number;
}

const ROUNDS = 20_000;

const owners = suite('log ownership');

/** Counts in a field that only the owner may touch. */
function count(owner: LogOwner, rounds: number): void {
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) owner.take();
    else while (!owner.tryTake());
    const blocks = owner.get('blocks');
    owner.add('bytes', 1);
    owner.set('blocks', blocks + 1);
    owner.give();
  }
}

function tests(): void {
  owners('two threads that count with it in hand miss nothing', async () => {
    const memory = LinkMemory.allocate(LOG_OWNER_BYTES);
    const owner = new LogOwner(memory, 0, LogThread.shard);
    const task: Task = { memory: memory.memory, rounds: ROUNDS };
    const worker = new Worker(new URL(import.meta.url), { workerData: task });
    const ended = new Promise((resolve, reject) => {
      worker.on('error', reject);
      worker.on('exit', resolve);
    });
    await new Promise((resolve) => worker.on('online', resolve));
    count(owner, ROUNDS);
    assert.is(await ended, 0);
    assert.is(owner.get('blocks'), 2 * ROUNDS);
    assert.is(owner.get('bytes'), 2 * ROUNDS);
  });

  owners('is not given to a second, and keeps what stands beside it apart', () => {
    const memory = LinkMemory.allocate(2 * LOG_OWNER_BYTES);
    const owner = new LogOwner(memory, LOG_OWNER_BYTES, LogThread.shard);
    const other = new LogOwner(memory, LOG_OWNER_BYTES, LogThread.diskThread);
    const beside = new LogOwner(memory, 0, LogThread.shard);
    assert.ok(owner.tryTake());
    assert.is(other.tryTake(), false);
    assert.ok(beside.tryTake());
    const values = [
      ['number', 3],
      ['bytes', 2 ** 40],
      ['size', 5],
      ['blocks', 6],
      ['syncedBlocks', 4],
      ['lost', 7],
      ['descriptor', 0],
      ['syncing', 1],
    ] as const;
    for (const [name, value] of values) owner.set(name, value);
    owner.isOpen = true;
    for (const [name, value] of values) {
      assert.is(other.get(name), value, name);
      assert.is(beside.get(name), 0, name);
    }
    assert.ok(other.isOpen);
    owner.give();
    assert.ok(other.tryTake());
  });

  owners(
    'of a thread that has ended with it in hand it is free, and nothing is written any more',
    () => {
      const memory = LinkMemory.allocate(LOG_OWNER_BYTES);
      const shard = new LogOwner(memory, 0, LogThread.shard);
      const disk = new LogOwner(memory, 0, LogThread.diskThread);
      shard.isOpen = true;
      disk.take();
      shard.endHolder();
      assert.is(shard.tryTake(), false, 'another has it');
      assert.ok(disk.isOpen);
      disk.give();
      shard.endHolder();
      assert.ok(disk.isOpen, 'nobody had it');
      shard.take();
      shard.endHolder();
      assert.ok(disk.tryTake());
      assert.not.ok(disk.isOpen);
    },
  );

  owners.run();
}

if (isMainThread) tests();
else {
  const { memory, rounds } = workerData as Task;
  count(new LogOwner(new LinkMemory(memory), 0, LogThread.diskThread), rounds);
}
