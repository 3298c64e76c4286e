/** Commands in a shard: their replies and frames, databases and protocols, and transactions. */

import { FrameKind, ReplyFlag, RequestFlag } from '#link';
import { TICKS_PER_US } from '#stats';
import { keyPerShard, keysOnShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ShardsFixture, textsOf, WATCHING } from '../machine.test-helper.ts';

const executing = suite('executor');

const [key = '', theirs = ''] = keyPerShard(2);
const [, other = ''] = keysOnShard(0, 2, 2);

/** The first shard of two. */
function newShard() {
  return new ShardsFixture(2).shards[0]!;
}

executing('replies of one client in a row share a frame, and of two clients do not', () => {
  const shard = newShard();
  const first = shard.send(`SET ${key} v`, { slot: 1 });
  shard.send(`GET ${key}`, { slot: 1 });
  shard.send(`STRLEN ${key}`, { slot: 2 });
  shard.send(`GET ${key}`, { slot: 1 });
  assert.equal(
    shard.run().map(({ slot, sequence, count, text }) => [slot, sequence - first, count, text]),
    [
      [1, 0, 2, '+OK\r\n$1\r\nv\r\n'],
      [2, 2, 1, ':1\r\n'],
      [1, 3, 1, '$1\r\nv\r\n'],
    ],
  );
});

executing('a muted command is run, and its reply is empty but counted', () => {
  const shard = newShard();
  shard.send(`SET ${key} v`, { flags: RequestFlag.mute });
  shard.send(`GET ${key}`);
  const frames = shard.run();
  assert.is(textsOf(frames), '$1\r\nv\r\n');
  assert.is(
    frames.reduce((sum, { count }) => sum + count, 0),
    2,
  );
});

executing('a command acts on the database of its frame, in the protocol of its client', () => {
  const shard = newShard();
  shard.call(`HSET ${key} f v`, { database: 3 });
  assert.is(shard.call(`HGETALL ${key}`), '*0\r\n');
  const flags = RequestFlag.resp3;
  assert.is(shard.call(`HGETALL ${key}`, { database: 3, flags }), '%1\r\n$1\r\nf\r\n$1\r\nv\r\n');
  assert.is(shard.call(`HGETALL ${key}`, { database: 3 }), '*2\r\n$1\r\nf\r\n$1\r\nv\r\n');
});

executing('an error is the whole reply, however much was written before it, and is counted', () => {
  const shard = newShard();
  shard.call(`SET ${key} v`);
  assert.match(shard.call(`LPUSH ${key} a`), /^-WRONGTYPE [^\r]*\r\n$/);
  assert.match(shard.call(`MGET ${key} ${other}`), /^\*2\r\n\$1\r\nv\r\n\$-1\r\n$/);
  assert.is(shard.page.get('errors'), 1);
});

executing('a part that fails says so by its flag, for main cannot tell it from a value', () => {
  const shard = newShard();
  shard.call(`SET ${key} v`);
  shard.send('FLUSHDB NEVER', { kind: FrameKind.part });
  shard.send(`DEL ${key} ${other}`, { kind: FrameKind.part });
  const frames = shard.run();
  assert.equal(
    frames.map(({ kind, flags }) => [kind, flags]),
    [
      ['part', ReplyFlag.error],
      ['part', 0],
    ],
  );
  assert.match(frames[0]!.text, /^-ERR /);
  assert.is(shard.keyCount, 0, 'the second was done');
});

executing('a transaction runs all its commands, also behind one that fails', () => {
  const shard = newShard();
  shard.exec([`SET ${key} v`, `LPUSH ${key} a`, `APPEND ${key} +`, `MGET ${key} ${other}`]);
  const [frame, ...more] = shard.run();
  assert.match(
    frame!.text,
    /^\*4\r\n\+OK\r\n-WRONGTYPE [^\r]*\r\n:2\r\n\*2\r\n\$2\r\nv\+\r\n\$-1\r\n$/,
  );
  assert.equal([frame!.count, more], [1, []], 'it is one command');
});

executing(
  'a command that may wait does not in a transaction, and nobody is served inside one',
  () => {
    const shard = newShard();
    shard.send(`BLPOP ${key} 0`, { slot: 2 });
    shard.run();
    shard.exec([`BLPOP ${other} 0`, `RPUSH ${key} a`, `LPOP ${key}`]);
    assert.equal(
      shard.run().map(({ slot, text }) => [slot, text]),
      [[1, '*3\r\n*-1\r\n:1\r\n$1\r\na\r\n']],
    );
    shard.exec([`RPUSH ${key} b`, `RPUSH ${key} c`]);
    const [exec, served] = shard.run();
    assert.equal([exec!.slot, exec!.text, served!.slot], [1, '*2\r\n:1\r\n:2\r\n', 2]);
  },
);

const changes: readonly (readonly [by: string, isBroken: boolean])[] = [
  [`SET ${key} x`, true],
  [`APPEND ${other} x`, false],
  [`GET ${key}`, false],
  [`GETDEL ${key}`, true],
  [`SETNX ${key} x`, false],
];
for (const [by, isBroken] of changes) {
  executing(`WATCH, then ${by}: EXEC does ${isBroken ? 'nothing' : 'it all'}`, () => {
    const shard = newShard();
    shard.call(`SET ${key} v`);
    shard.call(`WATCH ${key}`, { kind: FrameKind.part, slot: 5 });
    shard.call(by, { slot: 2 });
    shard.exec([`SET ${other} done`], { slot: 5, flags: WATCHING });
    assert.is(textsOf(shard.run()), isBroken ? '*-1\r\n' : '*1\r\n+OK\r\n');
    shard.exec([`SET ${other} again`], { slot: 5, flags: WATCHING });
    assert.is(textsOf(shard.run()), '*1\r\n+OK\r\n', 'the watch is over');
  });
}

executing('a watched key that expires before EXEC breaks it', () => {
  const all = new ShardsFixture(2);
  const shard = all.shards[0]!;
  shard.call(`SET ${key} v PX 50`);
  shard.call(`WATCH ${key}`, { kind: FrameKind.part, slot: 5 });
  all.clock.advanceMs(100);
  shard.exec([`SET ${other} done`], { slot: 5, flags: WATCHING });
  assert.is(textsOf(shard.run()), '*-1\r\n');
});

executing('a share is done for the shard’s own keys alone', () => {
  const shard = newShard();
  shard.send(`MSET ${key} 1 ${theirs} 2 ${other} 3`, {
    kind: FrameKind.share,
    transaction: 7,
    lenders: 2,
  });
  assert.equal(
    shard.run().map(({ kind, flags }) => [kind, flags]),
    [['part', 0]],
  );
  assert.equal([shard.keyCount, shard.call(`GET ${other}`)], [2, '$1\r\n3\r\n']);
});

executing(
  'a part that takes minutes adds as much to the time of execution, and no less than nothing',
  () => {
    const fixture = new ShardsFixture(2);
    const shard = fixture.shards[0]!;
    const { clock } = fixture;
    let nowUs = clock.nowUs();
    clock.nowUs = () => (nowUs += 200_000_000);
    shard.send('DBSIZE', { kind: FrameKind.part });
    const begunUs = nowUs;
    shard.run();
    const us = shard.page.get('executeTicks') / TICKS_PER_US;
    assert.ok(us >= 200_000_000 && us <= nowUs - begunUs, String(us));
  },
);

executing.run();
