/** Logs done again: whole ones, ones that end too early, and transactions over shards that one of the logs lacks. */

import { FrameKind, LendFlag, RequestFlag } from '#link';
import { transactionId } from '#persistence';
import { keyPerShard, keysOnShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EPOCH, ShardsFixture } from '../machine.test-helper.ts';
import { agree } from '../multi-shard/agreement.ts';
import { ReplayError, ReplayStop } from './replay.ts';

const replays = suite('replay');

const [mine = '', theirs = ''] = keyPerShard(2);
const [, other = ''] = keysOnShard(0, 2, 2);
const PASSES = RequestFlag.passesBarrier;

type Shard = ShardsFixture['shards'][number];
type Pair = readonly [Shard, Shard];

/** Two shards that log. */
function logging(): { all: ShardsFixture; shards: Pair } {
  const all = new ShardsFixture(2, true);
  return { all, shards: all.shards as unknown as Pair };
}

/** Two shards that do logs again; each log is an array of records. */
function recovering(laterMs = 0): Pair {
  const { shards, clock } = new ShardsFixture(2);
  clock.advanceMs(laterMs);
  for (const { machine } of shards) {
    // It reads the clock.
    machine.step();
    machine.beginReplay();
    machine.replay.beginSegment(1);
  }
  return shards as unknown as Pair;
}

function replay({ machine }: Shard, log: readonly Uint8Array[]): void {
  const block = new Uint8Array(Buffer.concat(log));
  machine.replay.block(block);
}

replays('what was done is done again, at the time at which it was done', () => {
  const { all, shards } = logging();
  const [shard] = shards;
  shard.call(`SET ${mine} v`);
  shard.call(`APPEND ${mine} +1`);
  shard.call(`GET ${mine}`);
  shard.call(`SET ${other} brief PX 1000`);
  const log = shard.takeLog();
  assert.is(log.length, 3, 'reads are not logged');
  const [again] = recovering(400);
  replay(again, log);
  assert.is(again.machine.replay.records, 3);
  assert.is(again.machine.store.nowMs, all.clock.wallMs());
  again.machine.endReplay();
  assert.equal([again.call(`GET ${mine}`), again.keyCount], ['$3\r\nv+1\r\n', 2]);
  assert.is(again.call(`PTTL ${other}`), ':600\r\n');
});

replays('a group whose end is not in the log has never been', () => {
  const { shards } = logging();
  const [shard] = shards;
  shard.call(`SET ${mine} before`);
  shard.report({ kind: FrameKind.barrier, slot: 5 });
  shard.call(`SET ${mine} inside`, { slot: 5, flags: PASSES });
  shard.call(`SET ${other} inside`, { slot: 5, flags: PASSES });
  shard.report({ kind: FrameKind.resume });
  shard.run();
  const log = shard.takeLog();
  assert.is(log.length, 4);
  const [torn] = recovering();
  replay(torn, log.slice(0, -1));
  assert.is(torn.machine.replay.dropGroup(), 2);
  torn.machine.endReplay();
  assert.equal([torn.call(`GET ${mine}`), torn.keyCount], ['$6\r\nbefore\r\n', 1]);
  const [whole] = recovering();
  replay(whole, log);
  assert.is(whole.machine.replay.dropGroup(), 0);
  whole.machine.endReplay();
  assert.equal([whole.call(`GET ${mine}`), whole.keyCount], ['$6\r\ninside\r\n', 2]);
});

replays('a group that was dropped does not come back with the end of another', () => {
  const { shards } = logging();
  const [shard] = shards;
  const group = (value: string): Buffer[] => {
    shard.report({ kind: FrameKind.barrier, slot: 5 });
    shard.call(`SET ${value === 'lost' ? other : mine} ${value}`, { slot: 5, flags: PASSES });
    shard.report({ kind: FrameKind.resume });
    shard.run();
    return shard.takeLog();
  };
  const lost = group('lost');
  const kept = group('kept');
  const [again] = recovering();
  replay(again, lost.slice(0, -1));
  again.machine.replay.dropGroup();
  replay(again, kept);
  again.machine.endReplay();
  assert.equal([again.keyCount, again.call(`GET ${mine}`)], [1, '$4\r\nkept\r\n']);
});

replays('a record that is cut short is an error, and what is before it is done', () => {
  const { shards } = logging();
  const [shard] = shards;
  shard.call(`SET ${mine} v`);
  shard.call(`SET ${other} v`);
  const log = Buffer.concat(shard.takeLog());
  for (const cut of [8, 16, 40]) {
    const [again] = recovering();
    assert.throws(
      () => replay(again, [log.subarray(0, log.length - cut)]),
      (error: unknown) => error instanceof ReplayError && /no size that can be/.test(error.message),
    );
    assert.is(again.keyCount, 1, `${cut} bytes are missing`);
  }
});

replays(
  'a command that answers an error now is a fault, or left out where keys are known lost',
  () => {
    const { shards } = logging();
    const [shard] = shards;
    shard.call(`LPUSH ${mine} a`);
    shard.call(`LSET ${mine} 0 b`);
    shard.call(`SET ${other} v`);
    const [, ...log] = shard.takeLog();
    const [strict] = recovering();
    assert.throws(() => {
      replay(strict, log);
    }, /LSET answers an error now/);
    const [lenient] = recovering();
    lenient.machine.replay.skipsRefused = true;
    replay(lenient, log);
    assert.equal([lenient.machine.replay.refusedRecords, lenient.keyCount], [1, 1]);
  },
);

/** Number that the transaction has in notes. */
const idOf = (transaction: number): number => transactionId(EPOCH, transaction);

/** Renames a key of shard 0 to one of shard 1, as a transaction of that number. */
function renameAcross(all: ShardsFixture, [host, lender]: Pair, transaction: number): void {
  host.send(`RENAME ${mine} ${theirs}`, { kind: FrameKind.host, transaction, lenders: 1 });
  lender.lend(0, transaction, [[theirs, LendFlag.writable]]);
  all.settle();
}

replays('a transaction over shards that one log lacks is given to it by the other', () => {
  const { all, shards } = logging();
  shards[0].call(`SET ${mine} v`);
  renameAcross(all, shards, 7);
  const [log = [], lost = []] = shards.map((shard) => shard.takeLog());
  assert.equal([log.length, lost.length], [2, 1]);
  const [host, lender] = recovering();
  replay(host, log);
  replay(lender, []);
  const { stops, missing } = agree([host, lender].map(({ machine }) => machine.replay.end));
  assert.equal(stops, [undefined, undefined]);
  assert.equal([...(missing.get(0) ?? [])], [[idOf(7), [1]]]);
  for (const record of host.machine.replay.recordsOf(new Set([idOf(7)]))) {
    lender.machine.replay.given(record);
  }
  for (const { machine } of [host, lender]) machine.endReplay();
  assert.equal([host.keyCount, lender.call(`GET ${theirs}`)], [0, '$1\r\nv\r\n']);
});

replays('where the host’s log lacks it, the lender’s gives it all that it has changed', () => {
  const { all, shards } = logging();
  shards[0].call(`SET ${mine} v`);
  const before = shards[0].takeLog();
  renameAcross(all, shards, 7);
  const [host, lender] = recovering();
  replay(host, before);
  replay(lender, shards[1].takeLog());
  const { missing } = agree([host, lender].map(({ machine }) => machine.replay.end));
  assert.equal([...(missing.get(1) ?? [])], [[idOf(7), [0]]]);
  for (const record of lender.machine.replay.recordsOf(new Set([idOf(7)]))) {
    host.machine.replay.given(record);
  }
  assert.equal([host.keyCount, lender.keyCount], [0, 1]);
});

replays('a log ends before a transaction that rests on what is on no disk', () => {
  const { all, shards } = logging();
  const [host, lender] = shards;
  host.call(`SET ${mine} v1`);
  renameAcross(all, shards, 7);
  host.call(`SET ${mine} v2`);
  renameAcross(all, shards, 8);
  const log = host.takeLog();
  lender.takeLog();
  // The first transaction is in no log: that of the lender is lost, and the host’s has a gap.
  const gap = [log[0]!, ...log.slice(2)];
  const [first, second] = recovering();
  replay(first, gap);
  const { stops } = agree([first, second].map(({ machine }) => machine.replay.end));
  assert.equal(stops, [idOf(8), undefined]);
  assert.is(first.machine.replay.end.transactions, 1);
  const [again] = recovering();
  again.machine.beginReplay(stops[0]);
  again.machine.replay.beginSegment(1);
  let at = -1;
  try {
    replay(again, gap);
  } catch (error) {
    assert.instance(error, ReplayStop);
    at = (error as ReplayStop).at;
  }
  assert.is(at, gap[0]!.length + gap[1]!.length, 'the bytes before it');
  assert.is(again.call(`GET ${mine}`), '$2\r\nv2\r\n');
});

replays('a barrier’s transaction that one log has not ended counts in none', () => {
  const { shards } = logging();
  for (const [nth, shard] of shards.entries()) {
    shard.report({ kind: FrameKind.barrier, slot: 5 });
    shard.call(`SET ${nth === 0 ? mine : theirs} v`, { slot: 5, flags: PASSES });
    shard.report({ kind: FrameKind.prepare, slot: 5, sequence: 9 });
    shard.report({ kind: FrameKind.resume });
    shard.run();
  }
  const [log = [], torn = []] = shards.map((shard) => shard.takeLog());
  const [whole, cut] = recovering();
  replay(whole, log);
  replay(cut, torn.slice(0, -1));
  assert.is(cut.machine.replay.dropGroup(), 1);
  const { stops, missing } = agree([whole, cut].map(({ machine }) => machine.replay.end));
  assert.equal([stops, missing.size], [[idOf(9), undefined], 0]);
  const [again] = recovering();
  again.machine.beginReplay(stops[0]);
  assert.throws(
    () => replay(again, log),
    (error: unknown) => error instanceof ReplayStop,
  );
  assert.equal([again.machine.replay.dropGroup(), again.keyCount], [1, 0], 'as a whole');
});

replays(
  'a share of a command is done for the shard’s own keys, and given where it is missing',
  () => {
    const { shards } = logging();
    const line = `MSET ${mine} 1 ${theirs} 2`;
    for (const shard of shards) {
      shard.send(line, { kind: FrameKind.share, transaction: 7, lenders: 2 });
      shard.run();
    }
    const [log = []] = shards.map((shard) => shard.takeLog());
    const [first, second] = recovering();
    replay(first, log);
    assert.is(first.keyCount, 1);
    const { missing } = agree([first, second].map(({ machine }) => machine.replay.end));
    assert.equal([...(missing.get(0) ?? [])], [[idOf(7), [1]]]);
    for (const record of first.machine.replay.recordsOf(new Set([idOf(7)]))) {
      second.machine.replay.given(record);
    }
    assert.is(second.call(`GET ${theirs}`), '$1\r\n2\r\n');
  },
);

replays(
  'a replay up to a time ends before the first record after it, and a group as a whole',
  () => {
    const { all, shards } = logging();
    const [shard] = shards;
    shard.call(`SET ${mine} before`);
    const untilMs = all.clock.wallMs();
    all.clock.advanceMs(1);
    shard.machine.step();
    shard.call(`SET ${mine} after`);
    const log = shard.takeLog();
    assert.is(log.length, 2);
    const [again] = recovering();
    again.machine.beginReplay(undefined, untilMs);
    try {
      replay(again, log);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ReplayStop);
      assert.equal(
        [(error as ReplayStop).isTime, (error as ReplayStop).at],
        [true, log[0]!.length],
      );
    }
    again.machine.endReplay();
    assert.is(again.call(`GET ${mine}`), '$6\r\nbefore\r\n');
    const [later] = recovering();
    later.machine.beginReplay(undefined, untilMs + 1);
    replay(later, log);
    later.machine.endReplay();
    assert.is(later.call(`GET ${mine}`), '$5\r\nafter\r\n');
  },
);

replays.run();
