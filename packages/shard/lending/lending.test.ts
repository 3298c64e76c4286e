/** Keys on loan: copies at the place of the lender's frame, holds until they come back, and what has become of them. */

import { FrameKind, LendFlag, RequestFlag } from '#link';
import { keyPerShard, keysOnShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ShardsFixture, textsOf, WATCHING, watcherWord } from '../machine.test-helper.ts';

const lending = suite('lending');

const [mine = '', theirs = ''] = keyPerShard(2);
const [, free = ''] = keysOnShard(1, 2, 2);
const TRANSACTION = 7;
const { writable } = LendFlag;

/** Shard 0 runs a command as the host; shard 1 lends it a key. */
function fixture(line: string, flags: number = writable) {
  const all = new ShardsFixture(2);
  const [host, lender] = all.shards as [(typeof all.shards)[0], (typeof all.shards)[0]];
  const lend = (): void => {
    host.send(line, { kind: FrameKind.host, transaction: TRANSACTION, lenders: 1 });
    lender.lend(0, TRANSACTION, [[theirs, flags]]);
  };
  return { all, host, lender, lend };
}

lending('a key is changed by the host, and is the lender’s again', () => {
  const { all, host, lender, lend } = fixture(`RENAME ${mine} ${theirs}`);
  host.call(`SET ${mine} new`);
  lender.call(`SET ${theirs} old`);
  lend();
  assert.is(textsOf(all.settle()), '+OK\r\n');
  assert.is(host.keyCount, 0);
  assert.is(lender.call(`GET ${theirs}`), '$3\r\nnew\r\n');
});

lending('a key is deleted by the host', () => {
  const { all, host, lender, lend } = fixture(`RENAME ${theirs} ${mine}`);
  lender.call(`SET ${theirs} v`);
  lend();
  assert.is(textsOf(all.settle()), '+OK\r\n');
  assert.equal(
    [lender.call(`EXISTS ${theirs}`), host.call(`GET ${mine}`)],
    [':0\r\n', '$1\r\nv\r\n'],
  );
});

lending(
  'commands on the key are put aside until it comes back, in their order; others are not',
  () => {
    const { all, host, lender, lend } = fixture(`RENAME ${mine} ${theirs}`);
    host.call(`SET ${mine} new`);
    lender.call(`SET ${theirs} old`);
    lend();
    const copies = lender.run();
    assert.equal(
      copies.map(({ kind, slot }) => [kind, slot]),
      [['copies', 0]],
    );
    lender.send(`APPEND ${theirs} +1`, { slot: 2 });
    lender.send(`SET ${free} v`, { slot: 3 });
    lender.send(`APPEND ${theirs} +2`, { slot: 4 });
    assert.equal(
      lender.run().map(({ slot }) => slot),
      [3],
    );
    assert.is(lender.page.get('deferred'), 2);
    all.pass(copies);
    all.pass(host.run());
    assert.equal(
      lender.run().map(({ slot, text }) => [slot, text]),
      [
        [2, ':5\r\n'],
        [4, ':7\r\n'],
      ],
    );
    assert.is(lender.call(`GET ${theirs}`), '$7\r\nnew+1+2\r\n');
    assert.is(lender.page.get('deferred'), 2, 'once each');
  },
);

lending('a command behind one that was put aside does not overtake it by another key', () => {
  const { all, host, lender, lend } = fixture(`RENAME ${mine} ${theirs}`);
  host.call(`SET ${mine} new`);
  lend();
  const copies = lender.run();
  lender.send(`LCS ${theirs} ${free}`, { slot: 2 });
  lender.send(`SET ${free} v`, { slot: 3 });
  assert.equal(lender.run(), []);
  all.pass(copies);
  all.pass(host.run());
  assert.equal(
    lender.run().map(({ slot }) => slot),
    [2, 3],
  );
});

lending('a key that is only read is not held, and no copy stays with the host', () => {
  const { all, host, lender, lend } = fixture(`SINTERSTORE ${mine} ${theirs}`, 0);
  lender.call(`SADD ${theirs} a b`);
  lend();
  const copies = lender.run();
  assert.is(lender.call(`SADD ${theirs} c`), ':1\r\n', 'at once');
  all.pass(copies);
  assert.is(textsOf(all.settle()), ':2\r\n', 'as it was at its place in the order');
  assert.is(host.keyCount, 1);
});

lending('an unchanged key comes back as it was, with its time', () => {
  const { all, host, lender, lend } = fixture(`SMOVE ${theirs} ${mine} absent`);
  lender.call(`SADD ${theirs} a`);
  lender.call(`PEXPIRE ${theirs} 5000`);
  lend();
  assert.is(textsOf(all.settle()), ':0\r\n');
  assert.equal([host.keyCount, lender.call(`PTTL ${theirs}`)], [0, ':5000\r\n']);
});

lending('a key that expires on its way is gone for the host, and stays gone', () => {
  const { all, host, lender, lend } = fixture(`COPY ${theirs} ${mine}`);
  lender.call(`SET ${theirs} v PX 50`);
  lend();
  const copies = lender.run();
  all.clock.advanceMs(100);
  all.pass(copies);
  assert.is(textsOf(all.settle()), ':0\r\n');
  assert.equal([host.keyCount, lender.call(`GET ${theirs}`)], [0, '$-1\r\n']);
});

lending('a key that expires on its way and is made anew has no time of the old one', () => {
  const { all, lender, lend } = fixture(`SMOVE ${mine} ${theirs} m`);
  const [host] = all.shards;
  host!.call(`SADD ${mine} m`);
  lender.call(`SADD ${theirs} old`);
  lender.call(`PEXPIRE ${theirs} 50`);
  lend();
  const copies = lender.run();
  all.clock.advanceMs(100);
  all.pass(copies);
  assert.is(textsOf(all.settle()), ':1\r\n');
  assert.is(lender.call(`SMEMBERS ${theirs}`), '*1\r\n$1\r\nm\r\n');
  assert.is(lender.call(`PTTL ${theirs}`), ':-1\r\n');
});

lending('a key that expires on its way back is gone for who asks then', () => {
  const { all, host, lender, lend } = fixture(`RENAME ${mine} ${theirs}`);
  host.call(`SET ${mine} v PX 50`);
  lend();
  all.pass(lender.run());
  const frames = host.run();
  assert.is(textsOf(frames), '+OK\r\n');
  all.clock.advanceMs(100);
  all.pass(frames);
  assert.is(lender.call(`GET ${theirs}`), '$-1\r\n');
});

lending('the lender judges what the client watches there, at the place of its frame', () => {
  for (const isBroken of [true, false]) {
    const { all, host, lender } = fixture('');
    lender.call(`WATCH ${theirs}`, { kind: FrameKind.part, slot: 5 });
    lender.call(`SET ${isBroken ? theirs : free} x`, { slot: 2 });
    host.exec([`SET ${mine} done`], {
      slot: 5,
      transaction: TRANSACTION,
      lenders: 1,
      flags: WATCHING,
    });
    lender.lend(0, TRANSACTION, [[theirs, 0]], watcherWord(5));
    // What comes after it is too late to break anything.
    lender.send(`SET ${theirs} later`, { slot: 2 });
    const reply = all.settle().filter(({ slot }) => slot === 5);
    assert.is(textsOf(reply), isBroken ? '*-1\r\n' : '*1\r\n+OK\r\n');
    assert.is(host.call(`EXISTS ${mine}`), isBroken ? ':0\r\n' : ':1\r\n');
  }
});

lending('a change by the host breaks the watches of others at the lender', () => {
  const { all, host, lender, lend } = fixture(`RENAME ${mine} ${theirs}`);
  host.call(`SET ${mine} v`);
  lender.call(`WATCH ${theirs}`, { kind: FrameKind.part, slot: 5 });
  lend();
  all.settle();
  lender.exec([`SET ${free} v`], { slot: 5, flags: WATCHING });
  assert.is(textsOf(lender.run()), '*-1\r\n');
});

lending('at a barrier nothing is done but what belongs to it, until it is over', () => {
  const { lender } = fixture('');
  lender.report({ kind: FrameKind.barrier, slot: 5 });
  lender.send(`SET ${theirs} v`, { slot: 2 });
  lender.lend(0, TRANSACTION, [[theirs, writable]]);
  assert.equal(
    lender.run().map(({ kind, slot }) => [kind, slot]),
    [['barrier', 5]],
  );
  lender.report({ kind: FrameKind.resume });
  assert.equal(
    lender.run().map(({ kind }) => kind),
    ['command', 'copies'],
  );
});

lending(
  'what a script calls here waits until the shard has stopped for it, behind what came before',
  () => {
    const { all, host, lender, lend } = fixture(`RENAME ${mine} ${theirs}`);
    host.call(`SET ${mine} new`);
    lend();
    const copies = lender.run();
    lender.send(`APPEND ${theirs} 1`, { slot: 2 });
    lender.report({ kind: FrameKind.barrier, flags: RequestFlag.exclusive });
    lender.send(`APPEND ${theirs} 3`, { slot: 2 });
    lender.send(`APPEND ${free} 1`, { slot: 5, flags: RequestFlag.passesBarrier });
    lender.send(`APPEND ${theirs} 2`, { slot: 5, flags: RequestFlag.passesBarrier });
    lender.report({ kind: FrameKind.prepare, slot: 5, sequence: TRANSACTION });
    assert.equal(lender.run(), []);
    all.pass(copies);
    all.pass(host.run());
    assert.equal(
      lender.run().map(({ kind, slot, text }) => [kind, slot, text]),
      [
        ['command', 2, ':4\r\n'],
        ['command', 5, ':1\r\n:5\r\n'],
        ['prepare', 5, ''],
      ],
    );
    lender.report({ kind: FrameKind.resume });
    assert.is(textsOf(lender.run()), ':6\r\n');
  },
);

lending('a barrier that is over while it waits for a key stops nobody', () => {
  const { all, host, lender, lend } = fixture(`RENAME ${mine} ${theirs}`);
  host.call(`SET ${mine} new`);
  lend();
  const copies = lender.run();
  lender.report({ kind: FrameKind.barrier, flags: RequestFlag.exclusive });
  lender.report({ kind: FrameKind.resume });
  lender.send(`GET ${theirs}`, { slot: 2 });
  assert.equal(lender.run(), []);
  all.pass(copies);
  all.pass(host.run());
  assert.equal(
    lender.run().map(({ kind, text }) => [kind, text]),
    [['command', '$3\r\nnew\r\n']],
  );
});

lending.run();
