/** Dumps that are made in steps are those that are made at once, and old servers get forms that they read. */

import { type Bytes, finish, joined } from '#base';
import { rdb } from '#store';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { call, CallContext } from '../../call.test-helper.ts';

const stepping = suite('dumps in steps');

const many = Array.from({ length: 600 }, (_, nth) => `${nth}`);

/** Lines that make the key `k`. */
const values: readonly (readonly [name: string, ...lines: (readonly string[])[]])[] = [
  ['a short string', ['SET', 'k', 'abc']],
  ['an integer', ['SET', 'k', '12']],
  ['a long string', ['SETRANGE', 'k', '3000000', 'end']],
  ['a small list', ['RPUSH', 'k', 'a', '1']],
  ['a long list', ['RPUSH', 'k', ...many.map((word) => word.repeat(50))]],
  ['an intset', ['SADD', 'k', '1', '2']],
  ['a small set', ['SADD', 'k', 'a', 'b']],
  ['a set', ['SADD', 'k', 'a', ...many]],
  ['a small sorted set', ['ZADD', 'k', '1', 'a', '2', 'b']],
  ['a sorted set', ['ZADD', 'k', ...many.flatMap((word) => [word, `m${word}`])]],
  ['a small hash', ['HSET', 'k', 'f', 'v', 'g', '1']],
  ['a hash', ['HSET', 'k', ...many.flatMap((word) => [`f${word}`, word])]],
  [
    'a small hash with ends',
    ['HSET', 'k', 'f', 'v', 'g', '1'],
    'HPEXPIRE k 9000 FIELDS 1 f'.split(' '),
  ],
  [
    'a hash with ends',
    ['HSET', 'k', ...many.flatMap((word) => [`f${word}`, word])],
    'HPEXPIRE k 9000 FIELDS 2 f1 f77'.split(' '),
  ],
  [
    'a small hash whose ends are gone',
    ['HSET', 'k', 'f', 'v', 'g', '1'],
    'HPEXPIRE k 9000 FIELDS 1 f'.split(' '),
    'HPERSIST k FIELDS 1 f'.split(' '),
  ],
  [
    'a hash whose ends are gone',
    ['HSET', 'k', ...many.flatMap((word) => [`f${word}`, word])],
    'HPEXPIRE k 9000 FIELDS 1 f1'.split(' '),
    'HPERSIST k FIELDS 1 f1'.split(' '),
  ],
  [
    'a stream',
    ...many.map((word) => ['XADD', 'k', `${word}-1`, 'field', word]),
    'XGROUP CREATE k g 0'.split(' '),
    'XREADGROUP GROUP g c COUNT 3 STREAMS k >'.split(' '),
  ],
];

function made(lines: readonly (readonly string[])[]): CallContext {
  const context = new CallContext();
  for (const line of lines) call(context, line);
  return context;
}

function dumpOf(context: CallContext, version?: number): { dump: Bytes; steps: number } {
  const { keyspace } = context;
  const pieces: Bytes[] = [];
  let steps = 0;
  const making = rdb.dumpInSteps(
    keyspace,
    keyspace.peek(Buffer.from('k'), 0, 1),
    (piece) => pieces.push(piece),
    version,
  );
  while (making.next().done !== true) steps += 1;
  finish(making);
  return { dump: joined(pieces), steps };
}

for (const [name, ...lines] of values) {
  stepping(`${name} is as at once`, () => {
    const context = made(lines);
    const { keyspace } = context;
    const ref = keyspace.peek(Buffer.from('k'), 0, 1);
    assert.ok(Buffer.from(dumpOf(context).dump).equals(rdb.dumpValue(keyspace, ref)));
  });

  stepping(`${name} has a form for Redis 7.0, or none`, () => {
    const context = made(lines);
    const { keyspace } = context;
    const ref = keyspace.peek(Buffer.from('k'), 0, 1);
    const fits = rdb.fitsVersion(keyspace, ref, rdb.VERSION_OF_7_0);
    assert.is(fits, !name.endsWith('with ends'));
    if (!fits) return;
    const { dump } = dumpOf(context, rdb.VERSION_OF_7_0);
    assert.is(dump[dump.length - 10], 10);
    const type = call(context, 'TYPE k');
    const digest = call(context, 'DEBUG DIGEST-VALUE k');
    const other = new CallContext();
    assert.is(call(other, ['RESTORE', 'k', '0', Buffer.from(dump).toString('latin1')]), 'OK');
    assert.equal([call(other, 'TYPE k'), call(other, 'DEBUG DIGEST-VALUE k')], [type, digest]);
  });
}

stepping('a value that is long is made in many steps', () => {
  const { steps } = dumpOf(made([['SETRANGE', 'k', '3000000', 'end']]));
  assert.ok(steps >= 10, `${steps}`);
});

stepping.run();
