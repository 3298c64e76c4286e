/** Payloads beside which an encoding stands were recorded from Redis 7.4.1. */

import { call, CallContext, dumpPayload, withRandom, type Random } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const dumping = suite('DUMP and RESTORE');

const binary = (hex: string): string => Buffer.from(hex, 'hex').toString('latin1');
const hexOf = (text: unknown): string => Buffer.from(text as string, 'latin1').toString('hex');

function restore(context: CallContext, payload: string, ...options: string[]): unknown {
  return call(context, ['RESTORE', 'k', '0', payload, ...options]);
}

interface Recorded {
  readonly name: string;
  readonly encoding: string;
  readonly payload: string;
  readonly settings?: Record<string, number>;
  /** A command that shows the value, and its reply. */
  readonly shows: readonly [line: string, reply: unknown];
}

const recorded: readonly Recorded[] = [
  {
    name: 'a stream with groups',
    encoding: 'stream',
    payload:
      '150110000000000000000100000000000000013e3e000000190002010101020181610281620200010201000100010101020105010301000101010301040105010001dffe02040101018163028178020601ff0281ffffffffffffffff05010101020302016781ffffffffffffffff0503020000000000000001000000000000000115122fffa101000001ffffffffffffffff000000000000000515122fffa10100000102016315122fffa101000015122fffa10100000200000000000000010000000000000001ffffffffffffffff0000000000000005016415122fffa1010000ffffffffffffffff000168010181ffffffffffffffff00000c00d910881a0729f972',
    shows: ['XPENDING k g', [2, '1-1', '18446744073709551615-5', [['c', '2']]]],
  },
  {
    name: 'a short string',
    encoding: 'embstr',
    payload: '000568656c6c6f0c00a804ebb69f1ebe43',
    shows: ['GET k', 'hello'],
  },
  {
    name: 'an integer of 8 bits',
    encoding: 'int',
    payload: '00c0fb0c0082b2f2342d0ca121',
    shows: ['GET k', '-5'],
  },
  {
    name: 'an integer of 16 bits',
    encoding: 'int',
    payload: '00c1e8030c0042a7734e40ee292d',
    shows: ['GET k', '1000'],
  },
  {
    name: 'an integer of 32 bits',
    encoding: 'int',
    payload: '00c2a08601000c003a5237909505383d',
    shows: ['GET k', '100000'],
  },
  {
    name: 'an integer that goes as text',
    encoding: 'int',
    payload: '000b31323334353637383930310c00fb386617dd3dfb59',
    shows: ['GET k', '12345678901'],
  },
  {
    name: 'a string whose length takes two bytes',
    encoding: 'raw',
    payload: `004050${'6162'.repeat(40)}0c002f2a2c95e3d804f4`,
    shows: ['GET k', 'ab'.repeat(40)],
  },
  {
    name: 'a HyperLogLog',
    encoding: 'embstr',
    payload: '001b48594c4c01000000000000000000008060f38050b1844bfb80425a0c00542f38c64c63ee00',
    shows: ['STRLEN k', 27],
  },
  {
    name: 'a list in a listpack',
    encoding: 'listpack',
    payload: '120102141400000004008161020101c12c02f290eefe04ff0c000f5a06c6c7979992',
    shows: ['LRANGE k 0 -1', ['a', '1', '300', '-70000']],
  },
  {
    name: 'a list of nodes',
    encoding: 'quicklist',
    payload:
      '1203020d0d0000000200816102816202ff020c0c00000002008163020401ff02090900000001000501ff0c006e6fd75940025149',
    shows: ['LRANGE k 0 -1', ['a', 'b', 'c', '4', '5']],
  },
  {
    name: 'a list with an element as a node',
    encoding: 'quicklist',
    payload: '1201021414000000020088616263646566676809816902ff0c004ae7eb8cfd969729',
    settings: { 'list-max-listpack-size': 1 },
    shows: ['LRANGE k 0 -1', ['abcdefgh', 'i']],
  },
  {
    name: 'a set of integers',
    encoding: 'intset',
    payload: '0b1404000000030000000100000002000000701101000c004ea3f5c6a1374e1c',
    shows: ['SMEMBERS k', ['1', '2', '70000']],
  },
  {
    name: 'a set in a listpack',
    encoding: 'listpack',
    payload: '140f0f00000003008161028162020301ff0c00b0a81bc5c7f973ce',
    shows: ['SMEMBERS k', ['a', 'b', '3']],
  },
  {
    name: 'a set in a table',
    encoding: 'hashtable',
    payload: '0201046f6e6c790c00aae6f01ef900b321',
    settings: { 'set-max-listpack-entries': 0 },
    shows: ['SMEMBERS k', ['only']],
  },
  {
    name: 'a sorted set in a listpack',
    encoding: 'listpack',
    payload: '111c1c0000000600816102010181620283322e350481630283696e6604ff0c00a06bea1c12c85dd0',
    shows: ['ZRANGE k 0 -1 WITHSCORES', ['a', '1', 'b', '2.5', 'c', 'inf']],
  },
  {
    name: 'a large sorted set',
    encoding: 'skiplist',
    payload: '0503016200000000000004400161000000000000f03f0163000000000000f0ff0c005152fe4f269b4ec5',
    settings: { 'zset-max-listpack-entries': 1 },
    shows: ['ZRANGE k 0 -1 WITHSCORES', ['c', '-inf', 'a', '1', 'b', '2.5']],
  },
  {
    name: 'a hash in a listpack',
    encoding: 'listpack',
    payload: '101414000000040081610201018162028374776f04ff0c00cf5e81e51bc8f55b',
    shows: ['HGETALL k', ['a', '1', 'b', 'two']],
  },
  {
    name: 'a hash in a table',
    encoding: 'hashtable',
    payload: '0401016601760c00668477964bac90b5',
    settings: { 'hash-max-listpack-entries': 0 },
    shows: ['HGETALL k', ['f', 'v']],
  },
  {
    name: 'a hash in a listpack, with a field that ends',
    encoding: 'listpackex',
    payload:
      '1900409452a3030000202000000006008162028374776f04f400409452a30300000981610201010001ff0c00ac6c30eda32bd674',
    shows: ['HPEXPIRETIME k FIELDS 2 a b', [-1, 4_000_000_000_000]],
  },
  {
    name: 'a hash in a table, with a field that ends',
    encoding: 'hashtable',
    payload: '1800409452a30300000101016601760c00f5affb7e93427a82',
    settings: { 'hash-max-listpack-entries': 0 },
    shows: ['HPEXPIRETIME k FIELDS 1 f', [4_000_000_000_000]],
  },
];

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

/** Entries a, 5, 300, -70000, 8 and 2^40, each behind the length of the one before it. */
const ziplist = ((): string => {
  const entries = ['000161', '03f6', '02c02c01', '04f090eefe', '05fe08', '03e00000000000010000'];
  const body = binary(entries.join(''));
  const head = Buffer.alloc(10);
  const totalBytes = head.length + body.length + 1;
  head.writeUInt32LE(totalBytes, 0);
  head.writeUInt32LE(totalBytes - 1 - entries.at(-1)!.length / 2, 4);
  head.writeUInt16LE(entries.length, 8);
  return `${head.toString('latin1')}${body}\xff`;
})();
const ofZiplist = (type: number, count = ''): string =>
  dumpPayload(
    `${String.fromCharCode(type)}${count}${String.fromCharCode(ziplist.length)}${ziplist}`,
  );
const texts = ['a', '5', '300', '-70000', '8', '1099511627776'];

const ziplists: readonly (readonly [
  payload: string,
  encoding: string,
  line: string,
  reply: unknown,
])[] = [
  [ofZiplist(10), 'quicklist', 'LRANGE k 0 -1', texts],
  [ofZiplist(14, '\x01'), 'listpack', 'LRANGE k 0 -1', texts],
  [ofZiplist(13), 'listpack', 'HGETALL k', texts],
  [
    ofZiplist(12),
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

const badFormat = '-ERR Bad data format';

const malformed: readonly (readonly [name: string, body: string])[] = [
  ['nothing', ''],
  ['an unknown type', '\x1a\x01a'],
  ['a module', '\x07\x01a'],
  ['a string that ends early', '\0\x05abc'],
  ['a string of 2^63 bytes', '\0\x81\x80\0\0\0\0\0\0\0a'],
  ['a string of 2^32 - 1 bytes', '\0\x80\xff\xff\xff\xffa'],
  ['an unknown form of a length', '\0\x82\0\0\0\x01a'],
  ['an unknown form of a string', '\0\xc4a'],
  ['a compressed string that is none', '\0\xc3\x02\x05\xff\xff'],
  ['a compressed string of a terabyte', '\0\xc3\x02\x81\0\0\x01\0\0\0\0\0\0a'],
  ['an empty list', '\x01\0'],
  ['a list of 2^32 - 1 elements', '\x01\x80\xff\xff\xff\xff\x01a'],
  ['an empty node', '\x12\x01\x02\0'],
  ['a node of an unknown form', '\x12\x01\x03\x01a'],
  ['nodes without elements', '\x12\x01\x02\x07\x07\0\0\0\0\0\xff'],
  ['members twice', '\x02\x02\x01a\x01a'],
  ['integers twice', '\x02\x02\xc0\x01\x011'],
  ['members twice in a listpack', '\x14\x0d\x0d\0\0\0\x02\0\x81a\x02\x81a\x02\xff'],
  ['fields twice', '\x04\x02\x01a\x01b\x01a\x01c'],
  ['scores twice', '\x03\x02\x01a\x011\x01a\x012'],
  ['a score that is no number', '\x03\x01\x01a\xfd'],
  ['a score that is no number in text', '\x03\x01\x01a\x03abc'],
  ['a score that is text in a listpack', '\x11\x0d\x0d\0\0\0\x02\0\x81a\x02\x81b\x02\xff'],
  ['a member without a score', '\x11\x0a\x0a\0\0\0\x01\0\x81a\x02\xff'],
  ['a field without a value', '\x10\x0a\x0a\0\0\0\x01\0\x81a\x02\xff'],
  [
    'an end that is text',
    `\x19${'\0'.repeat(8)}\x0f\x0f\0\0\0\x03\0\x81a\x02\x01\x01\x81b\x02\xff`,
  ],
  [
    'an end that is negative',
    `\x19${'\0'.repeat(8)}\x0f\x0f\0\0\0\x03\0\x81a\x02\x01\x01\xdf\xff\x02\xff`,
  ],
  ['a listpack without an end mark', '\x14\x0a\x0a\0\0\0\x01\0\x81a\x02\0'],
  ['a listpack of another length', '\x14\x0a\x0b\0\0\0\x01\0\x81a\x02\xff'],
  ['a listpack of another count', '\x14\x0a\x0a\0\0\0\x02\0\x81a\x02\xff'],
  ['a listpack with a wrong back length', '\x14\x0a\x0a\0\0\0\x01\0\x81a\x03\xff'],
  ['a listpack with an unknown entry', '\x14\x0a\x0a\0\0\0\x01\0\xf5a\x02\xff'],
  ['a listpack whose string is longer', '\x14\x0a\x0a\0\0\0\x01\0\x85a\x02\xff'],
  ['a listpack whose entry is cut', '\x14\x08\x08\0\0\0\x01\0\xf0\xff'],
  ['an empty listpack', '\x14\x07\x07\0\0\0\0\0\xff'],
  ['an intset that is out of order', '\x0b\x0c\x02\0\0\0\x02\0\0\0\x02\0\x01\0'],
  ['an intset with an integer twice', '\x0b\x0c\x02\0\0\0\x02\0\0\0\x01\0\x01\0'],
  ['an intset of another length', '\x0b\x0a\x02\0\0\0\x02\0\0\0\x01\0'],
  ['an intset of another width', '\x0b\x0b\x03\0\0\0\x01\0\0\0\x01\0\0'],
  ['an empty intset', '\x0b\x08\x02\0\0\0\0\0\0\0'],
  ['a ziplist without entries', '\x0a\x0b\x0b\0\0\0\x0a\0\0\0\0\0\xff'],
  ['a ziplist of another length', '\x0a\x0e\x0f\0\0\0\x0a\0\0\0\x01\0\0\x01a\xff'],
  ['a ziplist with a wrong back length', '\x0a\x0e\x0e\0\0\0\x0a\0\0\0\x01\0\x01\x01a\xff'],
  ['a ziplist whose last entry is elsewhere', '\x0a\x0e\x0e\0\0\0\x0b\0\0\0\x01\0\0\x01a\xff'],
  ['a ziplist whose string is longer', '\x0a\x0e\x0e\0\0\0\x0a\0\0\0\x01\0\0\x02a\xff'],
  ['a ziplist whose integer is cut', '\x0a\x0d\x0d\0\0\0\x0a\0\0\0\x01\0\0\xe0\xff'],
];

for (const [name, body] of malformed) {
  dumping(`refuses ${name}, and keeps what is there`, () => {
    const context = new CallContext();
    call(context, 'SET k kept');
    context.takeAnnounced();
    assert.is(restore(context, dumpPayload(body), 'REPLACE'), badFormat);
    assert.is(call(context, 'GET k'), 'kept');
    assert.equal(context.takeAnnounced(), []);
  });
}

const good = binary('000568656c6c6f0c00a804ebb69f1ebe43');
const unsound = '-ERR DUMP payload version or checksum are wrong';
const notInteger = '-ERR value is not an integer or out of range';
const syntax = '-ERR syntax error';
const busy = '-BUSYKEY Target key name already exists.';
const invalidTtl = '-ERR Invalid TTL value, must be >= 0';
const invalidFrequency = '-ERR Invalid FREQ value, must be >= 0 and <= 255';

/** With a key `taken`. */
const cases: readonly (readonly [line: readonly string[], reply: unknown])[] = [
  [['DUMP', 'none'], null],
  [['RESTORE', 'new', '0', good], 'OK'],
  [['RESTORE', 'taken', '0', good], busy],
  [['RESTORE', 'taken', '0', good, 'replace'], 'OK'],
  [['RESTORE', 'taken', '-1', 'x'], busy],
  [['RESTORE', 'taken', '-1', 'x', 'WHAT'], syntax],
  [['RESTORE', 'new', 'x', 'x'], notInteger],
  [['RESTORE', 'new', '-1', 'x'], invalidTtl],
  [['RESTORE', 'new', '0', ''], unsound],
  [['RESTORE', 'new', '0', 'x'], unsound],
  [['RESTORE', 'new', '0', `${good.slice(0, -1)}x`], unsound],
  [['RESTORE', 'new', '0', `x${good}`], unsound],
  [['RESTORE', 'new', '0', dumpPayload('\0\x01a', 13)], unsound],
  [['RESTORE', 'new', '0', dumpPayload('\0\x01a', 1)], 'OK'],
  [['RESTORE', 'new', '0', good, 'IDLETIME'], syntax],
  [['RESTORE', 'new', '0', good, 'IDLETIME', 'x'], notInteger],
  [['RESTORE', 'new', '0', good, 'IDLETIME', '-1'], '-ERR Invalid IDLETIME value, must be >= 0'],
  [['RESTORE', 'new', '0', good, 'FREQ'], syntax],
  [['RESTORE', 'new', '0', good, 'FREQ', 'x'], notInteger],
  [['RESTORE', 'new', '0', good, 'FREQ', '-1'], invalidFrequency],
  [['RESTORE', 'new', '0', good, 'FREQ', '256'], invalidFrequency],
  [['RESTORE', 'new', '0', good, 'FREQ', '1', 'IDLETIME', '1'], syntax],
  [['RESTORE', 'new', '0', good, 'IDLETIME', '1', 'FREQ', '1'], syntax],
  [['RESTORE', 'new', '0', good, 'IDLETIME', '1', 'REPLACE', 'ABSTTL'], 'OK'],
];

for (const [line, reply] of cases) {
  dumping(JSON.stringify(line), () => {
    const context = new CallContext();
    call(context, 'SET taken value');
    assert.is(call(context, line), reply);
  });
}

dumping('announces what was restored', () => {
  const context = new CallContext();
  restore(context, good);
  assert.equal(context.takeAnnounced(), ['~n new k', 'g restore k']);
});

dumping('a time to live counts from now, or is a moment with ABSTTL', () => {
  const context = new CallContext();
  call(context, ['RESTORE', 'k', '5000', good]);
  assert.is(call(context, 'PTTL k'), 5000);
  call(context, ['RESTORE', 'k', '4000000000000', good, 'REPLACE', 'ABSTTL']);
  assert.is(call(context, 'PEXPIRETIME k'), 4_000_000_000_000);
  restore(context, good, 'REPLACE');
  assert.is(call(context, 'PTTL k'), -1);
  call(context, ['RESTORE', 'far', '9223372036854775807', good]);
  assert.is(call(context, 'PEXPIRETIME far'), Number.MAX_SAFE_INTEGER);
});

dumping('a moment that is over removes what REPLACE replaces', () => {
  const context = new CallContext();
  assert.is(call(context, ['RESTORE', 'k', '1000', good, 'ABSTTL']), 'OK');
  assert.equal(context.takeAnnounced(), []);
  call(context, 'SET k value');
  context.takeAnnounced();
  assert.is(call(context, ['RESTORE', 'k', '1000', good, 'ABSTTL', 'REPLACE']), 'OK');
  assert.equal(context.takeAnnounced(), ['g del k']);
  assert.is(call(context, 'EXISTS k'), 0);
});

dumping('a key is as idle, or as often used, as it is said to be', () => {
  const context = new CallContext();
  restore(context, good, 'IDLETIME', '1000');
  assert.is(call(context, 'OBJECT IDLETIME k'), 1000);
  restore(context, good, 'REPLACE', 'FREQ', '9');
  assert.is(call(context, 'OBJECT IDLETIME k'), 0);
  context.store.policy = 'allkeys-lfu';
  restore(context, good, 'REPLACE', 'FREQ', '99');
  assert.is(call(context, 'OBJECT FREQ k'), 99);
});

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
  const context = new CallContext({ settings: { 'list-compress-depth': 1 } });
  call(context, ['RPUSH', 'k', ...members(5000, 20)]);
  const payload = call(context, 'DUMP k') as string;
  assert.ok(payload.length < 50_000);
  call(context, ['RESTORE', 'copy', '0', payload]);
  assert.equal(call(context, 'LRANGE copy 0 -1'), members(5000, 20));
});

dumping('what is too large for its encoding here gets another', () => {
  const settings = {
    'hash-max-listpack-entries': 1,
    'set-max-intset-entries': 1,
    'set-max-listpack-entries': 1,
    'zset-max-listpack-entries': 1,
    'list-max-listpack-size': 1,
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

function altered(random: Random, payload: string): string {
  const body = Buffer.from(payload.slice(0, -10), 'latin1');
  if (random.chance(0.3))
    return dumpPayload(body.toString('latin1', 0, random.integer(0, body.length)));
  for (let left = random.integer(1, 3); left > 0; left -= 1) {
    body[random.integer(0, body.length - 1)] = random.pick([
      0,
      1,
      0x80,
      0xc3,
      0xff,
      random.integer(0, 255),
    ]);
  }
  return dumpPayload(body.toString('latin1'));
}

dumping(
  'altered payloads are refused, or make a value that works',
  withRandom((random) => {
    const context = new CallContext();
    const payloads = [
      ...recorded.map(({ payload }) => binary(payload)),
      ofZiplist(10),
      ofZiplist(12),
    ];
    for (let round = 0; round < 20_000; round += 1) {
      const payload = altered(random, random.pick(payloads));
      const reply = restore(context, payload, 'REPLACE');
      if (reply !== 'OK') {
        assert.match(reply as string, /^-ERR Bad data format/);
        continue;
      }
      const again = call(context, 'DUMP k') as string;
      assert.is(call(context, ['RESTORE', 'copy', '0', again, 'REPLACE']), 'OK', hexOf(payload));
      const [before, after] = call(context, 'DEBUG DIGEST-VALUE k copy') as string[];
      assert.is(after, before, hexOf(payload));
    }
  }),
);

dumping.run();
