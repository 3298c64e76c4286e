/** Hosts: commands that wait for copies, whichever comes first, run with them, and leave nothing of them behind. */

import { errors, finish } from '#base';
import { FrameKind, LendFlag } from '#link';
import { keyPerShard, keysOnShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ShardsFixture, textsOf } from '../machine.test-helper.ts';
import { decodeCopies, encodeCopies, KeyState, MessagePieces } from '../multi-shard/key-copies.ts';

const hosting = suite('hosting');

const SHARDS = 3;
const [mine = '', second = '', third = ''] = keyPerShard(SHARDS);
const [, other = ''] = keysOnShard(0, SHARDS, 2);
const TRANSACTION = 7;
const { writable } = LendFlag;

/** Shard 0 hosts a command for which the other two lend it a key each, to be read. */
function fixture(line: string) {
  const all = new ShardsFixture(SHARDS);
  const [host, one, two] = all.shards as [
    (typeof all.shards)[0],
    (typeof all.shards)[0],
    (typeof all.shards)[0],
  ];
  const begin = (): void => {
    host.send(line, { kind: FrameKind.host, transaction: TRANSACTION, lenders: 2 });
  };
  const copiesOf = (shard: typeof one, key: string, flags = 0) => {
    shard.lend(0, TRANSACTION, [[key, flags]]);
    return shard.run();
  };
  return { all, host, one, two, begin, copiesOf };
}

const union = `SUNIONSTORE ${mine} ${second} ${third}`;

hosting('a command is run when the last copy is there, and holds its own keys until then', () => {
  const { all, host, one, two, begin, copiesOf } = fixture(union);
  one.call(`SADD ${second} a`);
  two.call(`SADD ${third} b`);
  begin();
  host.send(`SCARD ${mine}`, { slot: 2 });
  host.send(`SET ${other} v`, { slot: 3 });
  assert.equal(
    host.run().map(({ slot }) => slot),
    [3],
    'another key is not held',
  );
  all.pass(copiesOf(two, third));
  assert.equal(host.run(), []);
  all.pass(copiesOf(one, second));
  assert.equal(
    host.run().map(({ slot, text }) => [slot, text]),
    [
      [1, ':2\r\n'],
      [2, ':2\r\n'],
    ],
    'and what waited goes on behind it',
  );
  assert.is(host.keyCount, 2, 'no copy is left');
  assert.is(host.page.get('lends'), 1);
});

hosting('copies may come before the frame of their command', () => {
  const { all, host, one, two, begin, copiesOf } = fixture(union);
  one.call(`SADD ${second} a`);
  two.call(`SADD ${third} b`);
  all.pass(copiesOf(one, second));
  all.pass(copiesOf(two, third));
  assert.is(host.call(`SADD ${mine} before`), ':1\r\n', 'nothing is held before its place');
  begin();
  assert.is(textsOf(host.run()), ':2\r\n');
});

hosting('copies of another command are not taken for its own', () => {
  const { all, host, one, two, begin } = fixture(union);
  begin();
  one.lend(0, TRANSACTION + 1, [[second, 0]]);
  two.lend(0, TRANSACTION + 1, [[third, 0]]);
  all.pass(one.run());
  all.pass(two.run());
  assert.equal(host.run(), []);
  one.lend(0, TRANSACTION, [[second, 0]]);
  two.lend(0, TRANSACTION, [[third, 0]]);
  all.pass(one.run());
  all.pass(two.run());
  assert.is(textsOf(host.run()), ':0\r\n');
});

hosting('only what has changed goes back with its value, and each to its own shard', () => {
  const { all, host, one, two, copiesOf } = fixture('');
  one.call(`SET ${second} v1`);
  two.call(`SET ${third} v2`);
  const lines = [`SET ${mine} x`, `GET ${second}`, `APPEND ${third} +`];
  host.exec(lines, { transaction: TRANSACTION, lenders: 2 });
  all.pass(copiesOf(one, second, writable));
  all.pass(copiesOf(two, third, writable));
  const frames = host.run();
  assert.is(textsOf(frames), '*3\r\n+OK\r\n$2\r\nv1\r\n:3\r\n');
  const returned = frames
    .filter(({ kind }) => kind === 'returned')
    .map(({ slot, body }) => {
      const { copies } = decodeCopies(new MessagePieces().take(body)!);
      return [slot, copies.map(({ state, value }) => [state, Buffer.from(value).toString()])];
    });
  assert.equal(returned, [
    [1, [[KeyState.unchanged, '']]],
    [2, [[KeyState.bytes, 'v2+']]],
  ]);
  all.pass(frames);
  all.settle();
  assert.equal(
    [one.call(`GET ${second}`), two.call(`GET ${third}`)],
    ['$2\r\nv1\r\n', '$3\r\nv2+\r\n'],
  );
});

hosting('a lender without room refuses it for all: an error, and every key is as it was', () => {
  const { all, host, one, two, copiesOf } = fixture('');
  one.call(`SET ${second} v1`);
  host.exec([`SET ${mine} x`, `APPEND ${second} +`, `APPEND ${third} +`], {
    transaction: TRANSACTION,
    lenders: 2,
  });
  host.send(`EXISTS ${mine}`, { slot: 2 });
  all.pass(copiesOf(one, second, writable));
  const refusal = { transaction: TRANSACTION, shard: 2, isBroken: false, isRefused: true };
  const [piece] = finish(encodeCopies({ ...refusal, transactions: 0, copies: [] }));
  host.report({ kind: FrameKind.copies }, piece);
  const frames = host.run();
  assert.is(textsOf(frames), `-${errors.outOfResources.message}\r\n:0\r\n`);
  all.pass(frames);
  assert.is(one.call(`GET ${second}`), '$2\r\nv1\r\n', 'and is free');
  assert.equal([host.keyCount, two.keyCount], [0, 0]);
});

hosting('an error of the command leaves the lent keys as they were', () => {
  const { all, host, one, two, begin, copiesOf } = fixture(union);
  one.call(`SET ${second} text`);
  two.call(`SADD ${third} b`);
  host.call(`SADD ${mine} kept`);
  begin();
  all.pass(copiesOf(one, second));
  all.pass(copiesOf(two, third));
  assert.match(textsOf(host.run()), /^-WRONGTYPE /);
  assert.equal([host.keyCount, host.call(`SCARD ${mine}`)], [1, ':1\r\n']);
});

hosting(
  'two commands on the same keys are run in their order, whichever has its copies first',
  () => {
    const { all, host, one, two } = fixture('');
    for (const [nth, line] of [`SADD ${mine} first`, `SMEMBERS ${mine}`].entries()) {
      const lines = [line, `EXISTS ${second}`, `EXISTS ${third}`];
      host.exec(lines, { slot: 1 + nth, transaction: TRANSACTION + nth, lenders: 2 });
    }
    const lent = [0, 1].map((nth) =>
      [one, two].map((shard, at) => {
        shard.lend(0, TRANSACTION + nth, [[[second, third][at]!, 0]]);
        return shard.run();
      }),
    );
    for (const copies of lent[1]!) all.pass(copies);
    assert.equal(host.run(), []);
    for (const copies of lent[0]!) all.pass(copies);
    assert.equal(
      host.run().map(({ slot, text }) => [slot, text]),
      [
        [1, '*3\r\n:1\r\n:0\r\n:0\r\n'],
        [2, '*3\r\n*1\r\n$5\r\nfirst\r\n:0\r\n:0\r\n'],
      ],
    );
  },
);

hosting.run();
