/** Tests that dumps come back as they were. Payloads beside which an encoding stands were recorded from Redis 7.4.1. */

import { call, CallContext } from '../../call.test-helper.ts';
import { binary, dumpPayload, restore } from './dump-payload.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recorded, ziplist } from './dump.test-helper.ts';

const dumping = suite('DUMP and RESTORE');

const hexOf = (text: unknown): string => Buffer.from(text as string, 'latin1').toString('hex');

for (const { name, encoding, payload, settings, shows } of recorded) {
  dumping(`${name} is what it is in Redis, and is dumped as there`, () => {
    const context = new CallContext(settings === undefined ? {} : { settings });
    assert.is(restore(context, binary(payload)), 'OK');
    assert.equal(call(context, shows[0]), shows[1]);
    assert.is(call(context, 'OBJECT ENCODING k'), encoding);
    assert.is(hexOf(call(context, 'DUMP k')), payload);
  });
}

/** Read, but written in another form; made by hand unless an encoding says that Redis wrote it. */
const otherForms: readonly (readonly [
  name: string,
  payload: string,
  encoding: string,
  line: string,
  reply: unknown,
])[] = [
  [
    'a compressed string',
    binary('00c30a405002616261e042010161620c005feb6bce4bf43a0c'),
    'raw',
    'GET k',
    'ab'.repeat(40),
  ],
  [
    'a hash whose fields have lost their ends',
    binary('1900409452a30300000e0e000000030081610201010001ff0c00d450d5f92c56cf34'),
    'listpackex',
    'HPTTL k FIELDS 1 a',
    [-1],
  ],
  [
    'elements one by one',
    dumpPayload('\x01\x02\x01a\xc0\x05'),
    'listpack',
    'LRANGE k 0 -1',
    ['a', '5'],
  ],
  [
    'members one by one',
    dumpPayload('\x02\x02\x01a\xc0\x05'),
    'listpack',
    'SMEMBERS k',
    ['a', '5'],
  ],
  [
    'integers one by one',
    dumpPayload('\x02\x03\xc0\x05\xc1\x00\x01\xc0\xff'),
    'intset',
    'SMEMBERS k',
    ['-1', '5', '256'],
  ],
  [
    'scores as text',
    dumpPayload('\x03\x04\x01a\x031.5\x01b\xff\x01c\xfe\x01d\x012'),
    'listpack',
    'ZRANGE k 0 -1 WITHSCORES',
    ['b', '-inf', 'a', '1.5', 'd', '2', 'c', 'inf'],
  ],
  ['fields one by one', dumpPayload('\x04\x01\x01f\x01v'), 'listpack', 'HGETALL k', ['f', 'v']],
  [
    'fields whose ends come before them',
    dumpPayload(`\x16\x02\x00\x01a\x01b\x81${binary('000003a352944000')}\x01f\x01v`),
    'listpackex',
    'HPEXPIRETIME k FIELDS 2 a f',
    [-1, 4_000_000_000_000],
  ],
  [
    'a length in 32 bits and one in 64',
    dumpPayload('\x04\x80\0\0\0\x01\x81\0\0\0\0\0\0\0\x01f\x01v'),
    'listpack',
    'HGETALL k',
    ['f', 'v'],
  ],
  [
    'a listpack with integers as text',
    dumpPayload('\x10\x0d\x0d\0\0\0\x02\0\x81a\x02\x811\x02\xff'),
    'listpack',
    'HGETALL k',
    ['a', '1'],
  ],
  ['what stands behind the value', dumpPayload('\0\x01arest'), 'embstr', 'GET k', 'a'],
];

for (const [name, payload, encoding, line, reply] of otherForms) {
  dumping(`reads ${name}`, () => {
    const context = new CallContext();
    assert.is(restore(context, payload), 'OK');
    assert.is(call(context, 'OBJECT ENCODING k'), encoding);
    assert.equal(call(context, line), reply);
  });
}

/** Elements of the ziplists. */
const texts = ['a', '5', '300', '-70000', '8', '1099511627776'];

const ziplists: readonly (readonly [
  payload: string,
  encoding: string,
  line: string,
  reply: unknown,
])[] = [
  [dumpPayload(ziplist(10)), 'quicklist', 'LRANGE k 0 -1', texts],
  [dumpPayload(ziplist(14, '\x01')), 'listpack', 'LRANGE k 0 -1', texts],
  [dumpPayload(ziplist(13)), 'listpack', 'HGETALL k', texts],
  [
    dumpPayload(ziplist(12)),
    'listpack',
    'ZRANGE k 0 -1 WITHSCORES',
    ['300', '-70000', 'a', '5', '8', '1099511627776'],
  ],
];

for (const [payload, encoding, line, reply] of ziplists) {
  dumping(`reads a ziplist of type ${String(payload.charCodeAt(0))}`, () => {
    const context = new CallContext();
    assert.is(restore(context, payload), 'OK');
    assert.is(call(context, 'OBJECT ENCODING k'), encoding);
    assert.equal(call(context, line), reply);
  });
}

const members = (count: number, width = 1): string[] =>
  Array.from({ length: count }, (_, index) => `m${String(index).padStart(width, '0')}`);

/** One hash, set, list and sorted set of each encoding, beside those that were recorded. */
const built: readonly (readonly [name: string, lines: readonly (readonly string[])[]])[] = [
  ['a large list', [['RPUSH', 'k', ...members(2000, 10)]]],
  ['a large set', [['SADD', 'k', ...members(500)]]],
  ['a large intset', [['SADD', 'k', ...members(500).map((text) => text.slice(1))]]],
  ['a large sorted set', [['ZADD', 'k', ...members(500).flatMap((text) => ['1.25', text])]]],
  [
    'a large hash with fields that end',
    [
      ['HSET', 'k', ...members(600).flatMap((text) => [text, 'value'])],
      ['HPEXPIREAT', 'k', '4000000000000', 'FIELDS', '2', 'm5', 'm7'],
      ['HPEXPIREAT', 'k', '3000000000000', 'FIELDS', '1', 'm9'],
    ],
  ],
  ['a string of the 14 bit length', [['SET', 'k', 'x'.repeat(16_383)]]],
  ['a string of a 32 bit length', [['SET', 'k', 'x'.repeat(16_384)]]],
];

for (const [name, lines] of built) {
  dumping(`${name} comes back as it was`, () => {
    const context = new CallContext();
    for (const line of lines) call(context, line);
    const payload = call(context, 'DUMP k') as string;
    assert.is(call(context, ['RESTORE', 'copy', '0', payload]), 'OK');
    assert.is(call(context, 'OBJECT ENCODING copy'), call(context, 'OBJECT ENCODING k'));
    const [before, after] = call(context, 'DEBUG DIGEST-VALUE k copy') as string[];
    assert.is(after, before);
    assert.is((call(context, 'DUMP copy') as string).length, payload.length);
  });
}

dumping('inner nodes stay compressed', () => {
  const context = new CallContext({ settings: { 'encoding.list-compress-depth': 1 } });
  call(context, ['RPUSH', 'k', ...members(5000, 20)]);
  const payload = call(context, 'DUMP k') as string;
  assert.ok(payload.length < 50_000);
  call(context, ['RESTORE', 'copy', '0', payload]);
  assert.equal(call(context, 'LRANGE copy 0 -1'), members(5000, 20));
});

dumping('what is too large for its encoding here gets another', () => {
  const settings = {
    'encoding.hash-max-listpack-entries': 1,
    'encoding.set-max-intset-entries': 1,
    'encoding.set-max-listpack-entries': 1,
    'encoding.zset-max-listpack-entries': 1,
    'encoding.list-max-listpack-size': 1,
  };
  const encodings = ['listpack', 'listpackex', 'intset'];
  for (const { name, encoding, payload, shows } of recorded) {
    if (!encodings.includes(encoding)) continue;
    const context = new CallContext({ settings });
    assert.is(restore(context, binary(payload)), 'OK', name);
    const now = call(context, 'OBJECT ENCODING k');
    assert.ok(!encodings.includes(now as string), `${name} is ${String(now)}`);
    const reply = call(context, shows[0]);
    assert.equal([reply].flat().sort(), [shows[1]].flat().sort(), name);
  }
});

dumping.run();
