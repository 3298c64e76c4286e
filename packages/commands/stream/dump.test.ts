/** DUMP and RESTORE of streams. Payloads were recorded from Redis 7.4.1 and 7.0.15. */

import { call, CallContext } from '../call.test-helper.ts';
import { binary, dumpPayload } from '../keyspace/dump/dump-payload.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const dumping = suite('DUMP and RESTORE of streams');

/** Entries 1-1 and 2^64-1-5, and between them 1-2, which was deleted. */
const nodes =
  '0110000000000000000100000000000000013e3e000000190002010101020181610281620200010201000100010101020105010301000101010301040105010001dffe02040101018163028178020601ff';
const lengthAndLast = '0281ffffffffffffffff05';
const past = '0101010203';

/** One stream in each form. */
const forms: readonly (readonly [name: string, payload: string])[] = [
  ['7.4', binary(`15${nodes}${lengthAndLast}${past}000c004b651af73e17c569`)],
  ['7.0', binary(`13${nodes}${lengthAndLast}${past}000a00657c44f834319349`)],
  ['6.2', dumpPayload(binary(`0f${nodes}${lengthAndLast}00`), 9)],
];

for (const [version, payload] of forms) {
  dumping(`reads the form of Redis ${version}`, () => {
    const context = new CallContext();
    assert.is(call(context, ['RESTORE', 'k', '0', payload]), 'OK');
    assert.is(call(context, 'OBJECT ENCODING k'), 'stream');
    assert.equal(call(context, 'XRANGE k - +'), [
      ['1-1', ['a', '1', 'b', '2']],
      ['18446744073709551615-5', ['c', 'x']],
    ]);
    const info = call(context, 'XINFO STREAM k') as unknown[];
    const hasPast = version !== '6.2';
    assert.equal(info.slice(8, 14), [
      ...['max-deleted-entry-id', hasPast ? '1-2' : '0-0'],
      ...['entries-added', hasPast ? 3 : 2],
      ...['recorded-first-entry-id', '1-1'],
    ]);
    if (version === '7.4') assert.is(call(context, 'DUMP k'), payload);
  });
}

dumping('what others encode in another way is kept as it is written here', () => {
  // The value 1 as a text, and the node a byte longer.
  const foreign = nodes
    .replace('3e3e000000', '3f3f000000')
    .replace('0001000101010201', '000100018131020201');
  assert.is(foreign.length, nodes.length + 2);
  const context = new CallContext();
  const payload = dumpPayload(binary(`15${foreign}${lengthAndLast}${past}00`));
  assert.is(call(context, ['RESTORE', 'k', '0', payload]), 'OK');
  assert.is(call(context, 'DUMP k'), forms[0]![1]);
});

const groupOf70 = binary(
  `13${nodes}${lengthAndLast}${past}02016781ffffffffffffffff050302000000000000000100000000000000011a122fffa101000001ffffffffffffffff00000000000000051a122fffa1010000010201631a122fffa10100000200000000000000010000000000000001ffffffffffffffff000000000000000501641a122fffa1010000000168010181ffffffffffffffff00000a003ef20e720129d64d`,
);

dumping('consumers of 7.0 were active when they were seen', () => {
  const context = new CallContext();
  assert.is(call(context, ['RESTORE', 'k', '0', groupOf70]), 'OK');
  const consumers = call(context, 'XINFO CONSUMERS k g') as unknown[][];
  assert.equal(
    consumers.map(([, name, , pending]) => [name, pending]),
    [
      ['c', 2],
      ['d', 0],
    ],
  );
  const full = call(context, 'XINFO STREAM k FULL') as unknown[];
  const [group] = full.at(-1) as unknown[][];
  const [consumer] = group!.at(-1) as unknown[][];
  const seen = consumer![3];
  assert.type(seen, 'number');
  assert.is(consumer![5], seen);
  assert.equal(call(context, 'XPENDING k g'), [2, '1-1', '18446744073709551615-5', [['c', '2']]]);
});

dumping(
  'counters at the limit of 64 bits come and go as they are, as near as a double comes',
  () => {
    const payload = binary(
      '150000180000000000817fffffffffffffff0101670000817fffffffffffffff00000c00ba2055e91d5d4a2f',
    );
    const context = new CallContext();
    assert.is(call(context, ['RESTORE', 'k', '0', payload]), 'OK');
    const info = call(context, 'XINFO STREAM k') as unknown[];
    assert.equal(info.slice(10, 12), ['entries-added', 9223372036854775807n]);
    const [group] = call(context, 'XINFO GROUPS k') as unknown[][];
    assert.equal(group!.slice(8, 10), ['entries-read', 9223372036854775807n]);
    assert.is(call(context, 'DUMP k'), payload);
  },
);

dumping('groups of 6.2 have read what their last id tells', () => {
  const context = new CallContext();
  const group = (name: string, id: string): string => `01${name}${id}0000`;
  const groups = `03${group('61', '0101')}${group('62', '0000')}${group('63', '0200')}`;
  const payload = dumpPayload(binary(`0f${nodes}${lengthAndLast}${groups}`), 9);
  assert.is(call(context, ['RESTORE', 'k', '0', payload]), 'OK');
  const read = (call(context, 'XINFO GROUPS k') as unknown[][]).map((each) => each[9]);
  assert.equal(read, [1, 0, null]);
});

const key = '1000000000000000010000000000000001';
const head = `1501${key}`;
/** A node of these elements, with its length before it. */
const node = (elements: string, count: number): string => {
  const bytes = Buffer.alloc(7 + elements.length / 2, 0xff);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(count, 4);
  bytes.write(elements, 6, 'hex');
  return `${bytes.length.toString(16).padStart(2, '0')}${bytes.toString('hex')}`;
};
/** A node of one entry, field a and value 1, but for some elements. */
const one = (
  change: Partial<Record<'live' | 'fields' | 'flags' | 'ms' | 'elements', string>>,
): string => {
  const { live = '01', fields = '01', flags = '02', ms = '00', elements = '04' } = change;
  const body = [live, '00', fields, '81 61', '00', flags, ms, '00', '01', elements];
  return node(
    body.map((each) => (each.includes(' ') ? `${each.replace(' ', '')}02` : `${each}01`)).join(''),
    10,
  );
};
const rest = '010101010100000100';

const malformed: readonly (readonly [name: string, body: string])[] = [
  ['nothing', '15'],
  ['more nodes than there are', `1505${key}`],
  ['a key of another length', `15010100${one({})}${rest}`],
  ['a node that is no listpack', `${head}01ff${rest}`],
  ['a node without anything', `${head}${node('', 0)}${rest}`],
  ['a node that ends within an entry', `${head}${node('01010001010181610200010201', 7)}${rest}`],
  ['fewer entries in a node than it says', `${head}${one({ live: '02' })}${rest}`],
  ['more fields than there are', `${head}${one({ fields: '7f' })}${rest}`],
  ['a negative number of fields', `${head}${one({ fields: 'dfff' })}${rest}`],
  ['unknown flags', `${head}${one({ flags: '06' })}${rest}`],
  ['a deleted entry that counts as one', `${head}${one({ flags: '03' })}${rest}`],
  ['an id that is no number', `${head}${one({ ms: '81 61' })}${rest}`],
  ['an id before that of the node', `${head}${one({ ms: 'dfff' })}${rest}`],
  ['another number of elements', `${head}${one({ elements: '05' })}${rest}`],
  ['the same node twice', `1502${key}${one({})}${key}${one({})}${rest.replace('01', '02')}`],
  ['a last id below the entries', `${head}${one({})}010100010100000100`],
  ['no last id', `${head}${one({})}01`],
  ['a negative counter', `${head}${one({})}0101010101000081ffffffffffffffff00`],
  ['groups that are not there', `${head}${one({})}01010101010000017f`],
  ['a group twice', `${head}${one({})}0101010101000001020167010101000001670101010000`],
];

/** A group with one entry that is pending, and these consumers. */
const pending = '00000000000000010000000000000001';
const grouped = (consumers: string): string =>
  `${head}${one({})}010101010100000101016701010101${pending}000000000000000001${consumers}`;
const consumer = (name: string, ids: readonly string[]): string =>
  `01${name}${'00'.repeat(16)}0${ids.length}${ids.join('')}`;
const malformedGroups: readonly (readonly [name: string, consumers: string])[] = [
  ['an entry that is pending for nobody', '00'],
  [
    'an entry that is pending for two',
    `02${consumer('61', [pending])}${consumer('62', [pending])}`,
  ],
  ['an entry twice', `01${consumer('61', [pending, pending])}`],
  ['another entry', `01${consumer('61', ['ff'.repeat(16)])}`],
  ['a consumer twice', `02${consumer('61', [pending])}${consumer('61', [])}`],
  ['more entries than there are', `01${consumer('61', [pending]).replace('01000000', '7f000000')}`],
];

const cases = [
  ...malformed,
  ...malformedGroups.map(([name, consumers]) => [name, grouped(consumers)] as const),
];

for (const [name, body] of cases) {
  dumping(`refuses ${name}`, () => {
    const context = new CallContext();
    call(context, 'SET k value');
    const reply = call(context, ['RESTORE', 'k', '0', dumpPayload(binary(body)), 'REPLACE']);
    assert.is(reply, '-ERR Bad data format');
    assert.is(call(context, 'GET k'), 'value');
  });
}

dumping('a stream whose stored length is wrong is taken, and has its real length', () => {
  const context = new CallContext();
  const body = `${head}${one({})}020101010100000100`;
  assert.is(call(context, ['RESTORE', 'k', '0', dumpPayload(binary(body))]), 'OK');
  assert.is(call(context, 'XLEN k'), 1);
});

dumping('takes what the malformed ones differ from', () => {
  for (const body of [`${head}${one({})}${rest}`, grouped(`01${consumer('61', [pending])}`)]) {
    const context = new CallContext();
    assert.is(call(context, ['RESTORE', 'k', '0', dumpPayload(binary(body))]), 'OK');
    assert.equal(call(context, 'XRANGE k - +'), [['1-1', ['a', '1']]]);
  }
});

dumping('a stream of many nodes and groups comes back as it was', () => {
  const context = new CallContext();
  for (let nth = 1; nth <= 3000; nth += 1) {
    call(context, ['XADD', 'k', `${nth}-*`, 'a', String(nth), nth % 7 === 0 ? 'b' : 'c', 'x']);
  }
  call(context, 'XGROUP CREATE k g 0');
  call(context, 'XGROUP CREATE k empty $');
  for (const name of ['one', 'two', '3']) {
    call(context, `XREADGROUP GROUP g ${name} COUNT 700 STREAMS k >`);
  }
  call(context, 'XDEL k 5 6 2999');
  call(context, 'XTRIM k MAXLEN 2500');
  const payload = call(context, 'DUMP k') as string;
  assert.is(call(context, ['RESTORE', 'copy', '0', payload]), 'OK');
  const [before, after] = call(context, 'DEBUG DIGEST-VALUE k copy') as string[];
  assert.is(after, before);
  assert.is(call(context, 'DUMP copy'), payload);
  assert.equal(call(context, 'XINFO STREAM copy FULL'), call(context, 'XINFO STREAM k FULL'));
});

dumping.run();
