/** Replies out of bytes: of both protocols, cut anywhere, within limits, and refused with a reason where they are malformed. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MalformedReply, ReplyParser } from './reply-parser.ts';
import { ReplyError, ReplyValues, type Reply } from './reply-values.ts';

const replies = suite('reply parser');

type Options = ConstructorParameters<typeof ReplyParser>[1];

/** Replies in a text that comes in pieces, errors as texts with `!` before them. */
function parsed(pieces: readonly string[], options: Options = {}): unknown[] {
  const found: unknown[] = [];
  const values = new ReplyValues((reply) => {
    found.push(reply instanceof ReplyError ? `!${reply.message}` : reply);
  });
  const parser = new ReplyParser(values, options);
  for (const piece of pieces) parser.takeAll(Buffer.from(piece, 'latin1'));
  return found;
}

function refusal(text: string, options: Options = {}): string {
  try {
    parsed([text], options);
  } catch (error) {
    assert.instance(error, MalformedReply);
    return (error as Error).message;
  }
  return 'none';
}

const CASES: readonly (readonly [text: string, reply: Reply | string])[] = [
  ['+OK\r\n', 'OK'],
  ['+\r\n', ''],
  ['+only a line feed\n', 'only a line feed'],
  ['-ERR no\r\n', '!ERR no'],
  [':-12\r\n', -12],
  ['$5\r\n\r\n-ER\r\n', '\r\n-ER'],
  ['$0\r\n\r\n', ''],
  ['$-1\r\n', null],
  ['*-1\r\n', null],
  ['*0\r\n', []],
  ['*3\r\n:1\r\n*2\r\n+a\r\n*0\r\n$1\r\nb\r\n', [1, ['a', []], 'b']],
  ['*2\r\n:1\r\n*2\r\n-ERR first\r\n-ERR second\r\n', '!ERR first'],
  ['_\r\n', null],
  ['#t\r\n', 1],
  ['#f\r\n', 0],
  [',-1.5e3\r\n', '-1.5e3'],
  [',inf\r\n', 'inf'],
  ['(123456789012345678901234567890\r\n', '123456789012345678901234567890'],
  ['!7\r\nERR a\nb\r\n', '!ERR a\nb'],
  ['=8\r\ntxt:text\r\n', 'text'],
  ['~2\r\n:1\r\n:2\r\n', [1, 2]],
  ['%2\r\n+a\r\n:1\r\n+b\r\n%0\r\n', ['a', 1, 'b', []]],
  ['>2\r\n+message\r\n-no reply\r\n+OK\r\n', 'OK'],
  ['>0\r\n+OK\r\n', 'OK'],
  ['|1\r\n+ttl\r\n*1\r\n:3\r\n*2\r\n|1\r\n$1\r\na\r\n|1\r\n+b\r\n+c\r\n:0\r\n:1\r\n:2\r\n', [1, 2]],
];
const ALL = CASES.map(([text]) => text).join('');
const VALUES = CASES.map(([, reply]) => reply);

for (const [text, reply] of CASES) {
  replies(`${JSON.stringify(text)} is taken whole, and in two pieces cut at every byte`, () => {
    assert.equal(parsed([text]), [reply]);
    for (let at = 1; at < text.length; at += 1) {
      assert.equal(parsed([text.slice(0, at), text.slice(at)]), [reply]);
    }
  });
}

for (const pieceBytes of [1, 2, 3, 7, 64]) {
  replies(`many replies are taken in pieces of ${pieceBytes} bytes`, () => {
    const count = Math.ceil(ALL.length / pieceBytes);
    const pieces = Array.from({ length: count }, (_, nth) =>
      ALL.slice(nth * pieceBytes, (nth + 1) * pieceBytes),
    );
    assert.equal(parsed(pieces), VALUES);
  });
}

replies('bytes are taken up to the end of a reply', () => {
  const found: unknown[] = [];
  const parser = new ReplyParser(new ReplyValues((reply) => found.push(reply)));
  const bytes = Buffer.from('*1\r\n$2\r\nab\r\n+FULLRESYNC\r\n$9\r\nno reply');
  const next = parser.take(bytes);
  assert.equal([next, found], [12, [['ab']]]);
  assert.is(parser.take(bytes, next), 25);
  assert.equal(found, [['ab'], 'FULLRESYNC']);
});

replies('empty lines are signs of life where the user says so', () => {
  assert.equal(parsed(['\n\r\n+a\r\n\n', '\n:1\r\n'], { skipsEmptyLines: true }), ['a', 1]);
  assert.match(refusal('*2\r\n\r\n:1\r\n', { skipsEmptyLines: true }), 'unknown form ""');
  assert.match(refusal('\r\n'), 'unknown form ""');
});

replies('parts of no interest are counted and not kept', () => {
  const errors: string[] = [];
  let ends = 0;
  const parts = { error: (text: string) => errors.push(text), end: () => (ends += 1) };
  const parser = new ReplyParser(parts);
  for (const byte of Buffer.from(ALL)) parser.takeAll(Buffer.of(byte));
  parser.takeAll(Buffer.from(ALL));
  assert.is(ends, 2 * CASES.length);
  assert.is(errors.length, 2 * 4);
});

replies('says how much of the outermost array is left', () => {
  const left: number[] = [];
  const parser: ReplyParser = new ReplyParser({
    error: () => left.push(parser.left),
    end: () => undefined,
  });
  parser.takeAll(Buffer.from('-a\r\n*3\r\n:1\r\n*2\r\n-b\r\n:1\r\n-c\r\n'));
  assert.equal(left, [0, 2, 1]);
});

const MALFORMED: readonly (readonly [what: string, text: string, reason: string])[] = [
  ['another protocol', 'HTTP/1.1 400 Bad Request\r\n', 'unknown form "HTTP/1.1'],
  ['an integer that is none', ':1a\r\n', 'unknown form ":1a"'],
  ['a boolean that is none', '#x\r\n', 'unknown form "#x"'],
  ['a double that is none', ',1.2.3\r\n', 'unknown form ",1.2.3"'],
  ['a big number that is none', '(1.5\r\n', 'unknown form "(1.5"'],
  ['a null with text', '_1\r\n', 'unknown form "_1"'],
  ['a negative length', '$-2\r\n', 'no length of a bulk string: "$-2"'],
  ['an absent error', '!-1\r\n', 'no length of a bulk string: "!-1"'],
  ['a negative count', '*-5\r\n', 'no length of elements: "*-5"'],
  ['an absent map', '%-1\r\n', 'no length of elements: "%-1"'],
  ['a length that is no number', '$1x\r\n', 'no length of a bulk string: "$1x"'],
  ['a length in hexadecimal', '$0x10\r\n', 'no length of a bulk string'],
  ['an empty length', '*\r\n', 'no length of elements'],
  ['a streamed string', '$?\r\n', 'no length of a bulk string: "$?"'],
  [
    'a length of 2^31',
    `$${2 ** 31}\r\n`,
    'a bulk string over the limit of 268435456: "$2147483648"',
  ],
  ['a length beyond 2^63', '$9223372036854775808\r\n', 'a bulk string over the limit'],
  ['a count of 2^31', `*${2 ** 31}\r\n`, 'elements over the limit of 4194304: "*2147483648"'],
  ['a map of too many pairs', `%${2 ** 22}\r\n`, 'elements over the limit of 2097152'],
  ['a bulk that is longer than it says', '$1\r\nab\r\n', 'does not end where its length says'],
  ['a bulk that ends without CR', '$1\r\na\n\r\n', 'does not end where its length says'],
  ['a verbatim string without a format', '=3\r\ntxt\r\n', 'a verbatim string without a format'],
  ['a push within a reply', '*1\r\n>1\r\n:1\r\n:1\r\n', 'a push in a reply'],
];

for (const [what, text, reason] of MALFORMED) {
  replies(`${what} is refused, cut anywhere`, () => {
    assert.match(refusal(text), reason);
    for (let at = 1; at < text.length; at += 1) {
      assert.throws(() => parsed([text.slice(0, at), text.slice(at)]), reason);
    }
  });
}

replies('a line that never ends is refused before it is whole', () => {
  const options = { lineBytes: 10 };
  assert.equal(parsed(['+123456789\r\n'], options), ['123456789']);
  assert.match(refusal('+1234567890\r\n', options), 'a line of more than 10 bytes');
  assert.match(refusal('+1234567890\n', options), 'a line of more than 10 bytes');
  assert.throws(() => parsed(['+12345', '6789', '0a'], options), 'a line of more than 10 bytes');
  assert.match(refusal(`+${'x'.repeat(70_000)}`), 'a line of more than 65536 bytes');
});

replies('a line that is too long is cut where the user says so', () => {
  const options = { lineBytes: 5, cutsLines: true };
  assert.equal(parsed(['-abcdefgh\r\n:1\r\n'], options), ['!abcd', 1]);
  assert.equal(parsed(['-ab', 'cdef', 'gh', '\r', '\n:1\r\n'], options), ['!abcd', 1]);
});

replies('limits hold for what is nested, and for all elements of a reply together', () => {
  assert.equal(parsed(['*1\r\n*1\r\n*0\r\n'], { depth: 2 }), [[[[]]]]);
  assert.match(refusal('*1\r\n*1\r\n*1\r\n', { depth: 2 }), 'arrays nested more than 2 deep');
  assert.match(refusal('*1\r\n'.repeat(1_000)), 'arrays nested more than 128 deep');
  assert.equal(parsed(['*2\r\n*1\r\n:1\r\n*1\r\n:2\r\n*4\r\n'], { elements: 4 }), [[[1], [2]]]);
  assert.match(
    refusal('*2\r\n*1\r\n:1\r\n*2\r\n', { elements: 4 }),
    'elements over the limit of 1: "*2"',
  );
  assert.equal(parsed(Array(9).fill('>1\r\n:1\r\n'), { elements: 2 }), []);
});

replies('a bulk string in thousands of pieces is copied a few times at most', () => {
  const content = 'x'.repeat(100_000);
  const bytes = Buffer.from(`*1\r\n$${content.length}\r\n${content}\r\n`);
  let copied = 0;
  const original = Reflect.get(Uint8Array.prototype, 'set') as (...given: unknown[]) => void;
  Reflect.set(
    Uint8Array.prototype,
    'set',
    function set(this: Uint8Array, source: Uint8Array, at = 0) {
      copied += source.length;
      Reflect.apply(original, this, [source, at]);
    },
  );
  const found: unknown[] = [];
  try {
    const parser = new ReplyParser(new ReplyValues((reply) => found.push(reply)));
    for (const byte of bytes) parser.takeAll(Buffer.of(byte));
  } finally {
    Reflect.deleteProperty(Uint8Array.prototype, 'set');
  }
  assert.equal(found, [[content]]);
  assert.ok(copied >= content.length && copied < 3 * content.length, `${copied} bytes`);
});

replies('no room is made for what only a length promises', () => {
  const parser = new ReplyParser(new ReplyValues(() => undefined));
  const before = process.memoryUsage().arrayBuffers;
  parser.takeAll(Buffer.from(`$${2 ** 28}\r\nx`));
  parser.takeAll(Buffer.from('y'));
  assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000);
});

replies.run();
