/** Tests of what handlers reply, in both protocols, into memory of any size. */
import { CommandError, fromLatin1, latin1, Spans } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OwnedReply } from './owned-reply.ts';
import { ReplyWriter, type Protocol } from './reply-writer.ts';

const writing = suite('reply writer');

type Write = (reply: ReplyWriter) => void;

const long = 'x'.repeat(1_000);
const ten = Array.from({ length: 10 }, (_, nth) => `:${nth}\r\n`).join('');

/** Writes `count` integers as an array for which `expected` were announced. */
function arrayOf(expected: number, count: number): Write {
  return (reply) => {
    const mark = reply.beginArray(expected);
    for (let nth = 0; nth < count; nth += 1) reply.integer(nth);
    reply.endArray(mark, expected, count);
  };
}

const cases: readonly (readonly [what: string, write: Write, resp2: string, resp3?: string])[] = [
  ['ok', (reply) => reply.ok(), '+OK\r\n'],
  ['a status', (reply) => reply.simple('PONG'), '+PONG\r\n'],
  ['an error', (reply) => reply.error(new CommandError('ERR no\r\nway')), '-ERR no  way\r\n'],
  [
    'an error that ends a line',
    (reply) => reply.error(new CommandError('ERR x \r\n\r')),
    '-ERR x \r\n',
  ],
  ['0', (reply) => reply.integer(0), ':0\r\n'],
  ['a negative integer', (reply) => reply.integer(-42), ':-42\r\n'],
  [
    'the largest safe integer',
    (reply) => reply.integer(Number.MAX_SAFE_INTEGER),
    ':9007199254740991\r\n',
  ],
  [
    'the smallest integer of 64 bits',
    (reply) => reply.bigInteger(-(2n ** 63n)),
    ':-9223372036854775808\r\n',
  ],
  ['an empty bulk', (reply) => reply.bulk(fromLatin1('')), '$0\r\n\r\n'],
  ['a part of bytes', (reply) => reply.bulk(fromLatin1('abcdef'), 2, 3), '$3\r\ncde\r\n'],
  ['a long bulk', (reply) => reply.bulk(fromLatin1(long)), `$1000\r\n${long}\r\n`],
  ['text in UTF-8', (reply) => reply.text('\u{e9}'), '$2\r\n\u{c3}\u{a9}\r\n'],
  ['text of bytes', (reply) => reply.text('\u{e9}', 'latin1'), '$1\r\n\u{e9}\r\n'],
  ['an integer as bulk', (reply) => reply.bulkInteger(-7), '$2\r\n-7\r\n'],
  ['a status of bytes', (reply) => reply.simpleBytes(fromLatin1('xstringx'), 1, 6), '+string\r\n'],
  ['null', (reply) => reply.nil(), '$-1\r\n', '_\r\n'],
  ['a null array', (reply) => reply.nilArray(), '*-1\r\n', '_\r\n'],
  ['an array', (reply) => reply.arrayHeader(12), '*12\r\n'],
  ['a map', (reply) => reply.mapHeader(3), '*6\r\n', '%3\r\n'],
  ['a set', (reply) => reply.setHeader(3), '*3\r\n', '~3\r\n'],
  ['a push', (reply) => reply.pushHeader(2), '*2\r\n', '>2\r\n'],
  ['a double', (reply) => reply.double(3.5), '$3\r\n3.5\r\n', ',3.5\r\n'],
  ['infinity', (reply) => reply.double(-Infinity), '$4\r\n-inf\r\n', ',-inf\r\n'],
  ['true', (reply) => reply.boolean(true), ':1\r\n', '#t\r\n'],
  ['false', (reply) => reply.boolean(false), ':0\r\n', '#f\r\n'],
  ['a big number', (reply) => reply.bigNumber('123'), '$3\r\n123\r\n', '(123\r\n'],
  [
    'a verbatim text',
    (reply) => reply.verbatim('\u{e9}a'),
    '$3\r\n\u{c3}\u{a9}a\r\n',
    '=7\r\ntxt:\u{c3}\u{a9}a\r\n',
  ],
  ['markdown', (reply) => reply.verbatim('a', 'mkd'), '$1\r\na\r\n', '=5\r\nmkd:a\r\n'],
  ['an array of a known length at its end', arrayOf(2, 2), '*2\r\n:0\r\n:1\r\n'],
  ['an array that is shorter than expected', arrayOf(1000, 1), '*1\r\n:0\r\n'],
  ['an array that is longer than expected', arrayOf(9, 10), `*10\r\n${ten}`],
  ['an empty array that was to be long', arrayOf(10, 0), '*0\r\n'],
  [
    'a map in RESP3 alone',
    (reply) => {
      const mark = reply.beginArray(1);
      reply.integer(5);
      reply.integer(6);
      reply.endArray(mark, 1, 1, true);
    },
    '*1\r\n:5\r\n:6\r\n',
    '%1\r\n:5\r\n:6\r\n',
  ],
  [
    'such arrays in one another',
    (reply) => {
      const outer = reply.beginArray(10);
      arrayOf(1, 10)(reply);
      arrayOf(100, 0)(reply);
      reply.endArray(outer, 10, 2);
    },
    `*2\r\n*10\r\n${ten}*0\r\n`,
  ],
  ['finished bytes', (reply) => reply.raw(fromLatin1('..+a\r\n'), 2), '+a\r\n'],
];

function written(write: Write, protocol: Protocol, bytes: number): string {
  const reply = new OwnedReply(protocol, bytes);
  write(reply);
  return latin1(reply.take());
}

for (const [what, write, resp2, resp3 = resp2] of cases) {
  writing(`writes ${what}`, () => {
    for (const bytes of [1, 2, 7, 4_096]) {
      assert.is(written(write, 2, bytes), resp2, `RESP2 in ${String(bytes)} bytes`);
      assert.is(written(write, 3, bytes), resp3, `RESP3 in ${String(bytes)} bytes`);
    }
  });
}

writing('writes all of them in a row, whatever the memory it begins with', () => {
  const all = (reply: ReplyWriter): void => {
    for (const [, write] of cases) write(reply);
  };
  const resp3 = cases.map(([, , two, three = two]) => three).join('');
  for (let bytes = 1; bytes < 64; bytes += 1) assert.is(written(all, 3, bytes), resp3);
});

writing('writes attributes for RESP3', () => {
  assert.is(
    written((reply) => reply.attributeHeader(1), 3, 8),
    '|1\r\n',
  );
});

writing('remembers the text of the last error', () => {
  const reply = new OwnedReply();
  assert.is(reply.errorText, null);
  reply.error(new CommandError('ERR one'));
  reply.error(new CommandError('OOM two'));
  assert.is(reply.errorText, 'OOM two');
});

writing('asks for memory only when what was lent is full, and never writes past it', () => {
  const memory = Buffer.alloc(64, 0x2e);
  let asked = 0;
  const reply = new ReplyWriter(memory, 8, 20, (writer, bytesNeeded) => {
    asked += 1;
    assert.ok(writer.at + bytesNeeded > 20);
    writer.limit = 40;
  });
  reply.ok();
  reply.ok();
  assert.is(asked, 0);
  reply.ok();
  assert.is(asked, 1);
  assert.is(memory.toString('latin1', 0, 25), '........+OK\r\n+OK\r\n+OK\r\n..');
});

writing('finds the beginning of an array when what was written moves', () => {
  const larger = Buffer.alloc(200);
  const reply = new ReplyWriter(Buffer.alloc(20), 8, 20, (writer) => {
    larger.set(writer.bytes.subarray(8, writer.at), 3);
    writer.bytes = larger;
    writer.at -= 5;
    writer.limit = 200;
  });
  arrayOf(1, 10)(reply);
  assert.is(larger.toString('latin1', 3, reply.at), `*10\r\n${ten}`);
});

writing('stops when its lender lends too little', () => {
  const reply = new ReplyWriter(Buffer.alloc(4), 0, 4, () => undefined);
  assert.throws(() => reply.ok(), /lent enough memory/);
});

writing('begins anew after its bytes were taken', () => {
  const reply = new OwnedReply();
  reply.ok();
  assert.is(latin1(reply.take()), '+OK\r\n');
  reply.integer(1);
  assert.is(latin1(reply.take()), ':1\r\n');
  assert.is(reply.take().length, 0);
});

writing('bulk strings of every length around those with a shorter way to their header', () => {
  const source = Uint8Array.from({ length: 140 }, (_, index) => 0x30 + (index % 64));
  const view = new DataView(source.buffer);
  for (const bytes of [1, 1_000]) {
    const reply = new OwnedReply(2, bytes);
    for (let length = 0; length <= 130; length += 1) {
      const expected = `$${length}\r\n${latin1(source, length % 7, length)}\r\n`;
      for (const given of [undefined, view]) {
        // At any place of its memory.
        reply.raw(source, 0, length % 5);
        reply.bulk(source, length % 7, length, given);
        assert.is(latin1(reply.take(), length % 5), expected);
      }
    }
  }
});

writing('many bulk strings at once, of all lengths, up to the very ends of their memories', () => {
  const memory = [5, 200].map((length, place) => {
    const bytes = Uint8Array.from({ length }, (_, index) => 0x30 + place + (index % 64));
    return { bytes, view: new DataView(bytes.buffer) };
  });
  const spans = new Spans(64);
  spans.memory = memory;
  for (const room of [1, 4_000]) {
    const reply = new OwnedReply(2, room);
    for (let most = 0; most <= 130; most += 1) {
      spans.count = most % 64;
      let expected = '';
      for (let nth = 0; nth < spans.count; nth += 1) {
        const place = nth % 5 === 0 ? 0 : 1;
        const { bytes } = memory[place]!;
        const length = Math.min(Math.max(most - nth, 0), bytes.length);
        const at = nth % 2 === 0 ? bytes.length - length : 0;
        spans.places[nth] = place;
        spans.ats[nth] = at;
        spans.lengths[nth] = length;
        expected += `$${length}\r\n${latin1(bytes, at, length)}\r\n`;
      }
      reply.raw(memory[1]!.bytes, 0, most % 5);
      reply.bulks(spans);
      reply.ok();
      assert.is(latin1(reply.take(), most % 5), `${expected}+OK\r\n`);
    }
  }
});

writing.run();
