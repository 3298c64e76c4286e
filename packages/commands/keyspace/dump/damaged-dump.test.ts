/** RESTORE refuses payloads that are malformed, and stays unharmed by those that are merely altered. */
// test-tier: long

import { type Random, withRandom } from '#testkit';
import { call, CallContext } from '../../call.test-helper.ts';
import { binary, dumpPayload, restore } from './dump-payload.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recorded, ziplist } from './dump.test-helper.ts';

const dumping = suite('RESTORE of damaged payloads');

const hexOf = (text: unknown): string => Buffer.from(text as string, 'latin1').toString('hex');

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
      dumpPayload(ziplist(10)),
      dumpPayload(ziplist(12)),
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
