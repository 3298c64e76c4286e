/** Commands out of bytes: cut anywhere, quoted anyhow, and refused with Redis 7.4's words. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandParser, ParseStatus } from './command-parser.ts';
import { ParsedCommand } from './parsed-command.ts';

const parsing = suite('command parser');

const BULK_BYTES_MAX = 1_000_000;

/** Stand-in for a connection: feeds pieces, takes commands, keeps what is left over. */
class Feeder {
  readonly commands: string[][] = [];
  readonly parser: CommandParser;
  readonly #command = new ParsedCommand();
  #pending = Buffer.alloc(0);
  error = '';

  constructor(unauthenticated = false) {
    this.parser = new CommandParser(this.#command, { bulkBytesMax: BULK_BYTES_MAX });
    this.parser.unauthenticated = unauthenticated;
  }

  feed(piece: Buffer): void {
    if (this.error !== '') return;
    this.#pending = Buffer.concat([this.#pending, piece]);
    let at = 0;
    // Bytes after the end belong to somebody else: they must not be looked at.
    const bytes = Buffer.concat([this.#pending, Buffer.from('\r\n*9\r\n$1\r\n\n\r')]);
    const end = this.#pending.length;
    while (at < end) {
      const status = this.parser.next(bytes, at, end);
      if (status === ParseStatus.incomplete) break;
      if (status === ParseStatus.error) {
        this.error = this.parser.error;
        return;
      }
      this.commands.push(wordsOf(this.#command));
      at += this.parser.consumed;
    }
    this.#pending = this.#pending.subarray(at);
  }
}

function wordsOf({ source, at, spans, count }: ParsedCommand): string[] {
  const bytes = Buffer.from(source);
  return Array.from({ length: count }, (_, index) => {
    const from = at + spans[2 * index]!;
    return bytes.toString('latin1', from, from + spans[2 * index + 1]!);
  });
}

function parse(text: string, unauthenticated = false): Feeder {
  const feeder = new Feeder(unauthenticated);
  feeder.feed(Buffer.from(text, 'latin1'));
  return feeder;
}

const stream =
  '*1\r\n$4\r\nPING\r\n' +
  '*3\r\n$3\r\nSET\r\n$3\r\nk\r\n\r\n$0\r\n\r\n' +
  '\r\n' +
  '*0\r\n' +
  '*-5\r\n' +
  'ECHO "a b" \'c\'\r\n' +
  `*2\r\n$3\r\nGET\r\n$200\r\n${'x'.repeat(200)}\r\n` +
  'get k\n' +
  `*40\r\n${'$2\r\nab\r\n'.repeat(40)}` +
  '*1\r\n$4\r\nQUIT\r\n';

const expected = [
  ['PING'],
  ['SET', 'k\r\n', ''],
  [],
  [],
  [],
  ['ECHO', 'a b', 'c'],
  ['GET', 'x'.repeat(200)],
  ['get', 'k'],
  new Array<string>(40).fill('ab'),
  ['QUIT'],
];

parsing('takes a stream whole', () => {
  assert.equal(parse(stream).commands, expected);
});

parsing('takes the same when the stream is cut in two, anywhere', () => {
  const bytes = Buffer.from(stream, 'latin1');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const feeder = new Feeder();
    feeder.feed(bytes.subarray(0, cut));
    feeder.feed(bytes.subarray(cut));
    assert.equal(feeder.commands, expected, `cut at ${String(cut)}`);
  }
});

for (const size of [1, 2, 3, 7]) {
  parsing(`takes the same in pieces of ${String(size)}`, () => {
    const bytes = Buffer.from(stream, 'latin1');
    const feeder = new Feeder();
    for (let at = 0; at < bytes.length; at += size) feeder.feed(bytes.subarray(at, at + size));
    assert.equal(feeder.commands, expected);
    assert.is(feeder.error, '');
  });
}

parsing('keeps two half-parsed connections apart though they share the result', () => {
  const shared = new ParsedCommand();
  const limits = { bulkBytesMax: BULK_BYTES_MAX };
  const one = new CommandParser(shared, limits);
  const other = new CommandParser(shared, limits);
  const whole = (word: string): Buffer => Buffer.from(`*50\r\n${`$1\r\n${word}\r\n`.repeat(50)}`);
  const a = whole('a');
  const b = whole('b');
  assert.is(one.next(a, 0, a.length - 20), ParseStatus.incomplete);
  assert.is(other.next(b, 0, b.length - 9), ParseStatus.incomplete);
  assert.is(one.next(a, 0, a.length), ParseStatus.complete);
  assert.equal(wordsOf(shared), new Array<string>(50).fill('a'));
  assert.is(other.next(b, 0, b.length), ParseStatus.complete);
  assert.equal(wordsOf(shared), new Array<string>(50).fill('b'));
});

parsing('says how many bytes a long argument still needs', () => {
  const { parser } = new Feeder();
  const head = Buffer.from('*2\r\n$3\r\nGET\r\n$5000\r\nxx');
  assert.is(parser.next(head, 0, head.length), ParseStatus.incomplete);
  assert.is(parser.bytesNeeded, head.length - 2 + 5_000 + 2);
});

const ARGUMENTS = 1_000_000;

parsing('examines a command of a million arguments once, in however many pieces', () => {
  const argument = Buffer.from('$1\r\nx\r\n');
  const head = Buffer.from(`*${ARGUMENTS}\r\n`);
  const bytes = Buffer.concat([head, Buffer.alloc(ARGUMENTS * argument.length, argument)]);
  let examined = 0;
  const watched = new Proxy(bytes, {
    get(target, property) {
      examined += 1;
      return target[Number(property)];
    },
  });
  const command = new ParsedCommand();
  const parser = new CommandParser(command, { bulkBytesMax: BULK_BYTES_MAX });
  let status: number = ParseStatus.incomplete;
  for (let end = 0; status === ParseStatus.incomplete; end += 10_001) {
    status = parser.next(watched, 0, Math.min(end, bytes.length));
  }
  assert.is(status, ParseStatus.complete);
  assert.is(command.count, ARGUMENTS);
  // Four of an argument's seven bytes are looked at, and each piece looks at one argument again.
  assert.ok(examined < bytes.length + 700 * 20, `${examined} of ${bytes.length} bytes`);
});

const inline: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['PING', ['PING']],
  ['  SET   k\tv  ', ['SET', 'k', 'v']],
  ['', []],
  ['   ', []],
  ['ECHO ""', ['ECHO', '']],
  ["ECHO ''", ['ECHO', '']],
  ['ECHO "a b"', ['ECHO', 'a b']],
  ['ECHO "\\x41\\x0a\\n\\r\\t\\b\\a"', ['ECHO', 'A\n\n\r\t\b\u0007']],
  ['ECHO "\\q\\"\\\\"', ['ECHO', 'q"\\']],
  ['ECHO "\\xzz"', ['ECHO', 'xzz']],
  ['ECHO "\\x4"', ['ECHO', 'x4']],
  ["ECHO 'it\\'s \\n'", ['ECHO', "it's \\n"]],
  ['ECHO a"b c"', ['ECHO', 'ab c']],
  ["ECHO a'b'", ['ECHO', 'ab']],
  ['ECHO a\\x41', ['ECHO', 'a\\x41']],
  ['ECHO \u{e9}', ['ECHO', '\u{e9}']],
];

for (const [line, words] of inline) {
  parsing(`understands the line ${JSON.stringify(line)}`, () => {
    assert.equal(parse(`${line}\r\n`).commands, [words]);
    assert.equal(parse(`${line}\n`).commands, [words]);
  });
}

for (const line of ['"a', "'a", '"a"b', "'a'b", 'set """a""" b', '"a\\"', "'a\\'", '"\\', 'a"']) {
  parsing(`refuses the line ${line}`, () => {
    assert.is(parse(`${line}\r\n`).error, 'ERR Protocol error: unbalanced quotes in request');
  });
}

const faults: readonly (readonly [text: string, fault: string])[] = [
  ['*\r\n', 'invalid multibulk length'],
  ['*x\r\n', 'invalid multibulk length'],
  ['*1x\r\n', 'invalid multibulk length'],
  ['*+1\r\n', 'invalid multibulk length'],
  ['*01\r\n', 'invalid multibulk length'],
  ['*-\r\n', 'invalid multibulk length'],
  ['*-0\r\n', 'invalid multibulk length'],
  ['*--1\r\n', 'invalid multibulk length'],
  ['*-99999999999999999999\r\n', 'invalid multibulk length'],
  ['*2147483648\r\n', 'invalid multibulk length'],
  ['*3000000000\r\n', 'invalid multibulk length'],
  ['*99999999999999999999\r\n', 'invalid multibulk length'],
  ['*1\r\nfoo\r\n', "expected '$', got 'f'"],
  ['*1\r\n:1\r\n', "expected '$', got ':'"],
  ['*2\r\n$3\r\nGET\r\n\r\n', "expected '$', got '\r'"],
  ['*1\r\n$\r\n', 'invalid bulk length'],
  ['*1\r\n$-1\r\n', 'invalid bulk length'],
  ['*1\r\n$abc\r\n', 'invalid bulk length'],
  ['*1\r\n$04\r\n', 'invalid bulk length'],
  [`*1\r\n$${BULK_BYTES_MAX + 1}\r\n`, 'invalid bulk length'],
  ['*1\r\n$99999999999999999999\r\n', 'invalid bulk length'],
  [`*${'1'.repeat(70_000)}`, 'too big mbulk count string'],
  [`*1\r\n$${'1'.repeat(70_000)}`, 'too big bulk count string'],
  ['a'.repeat(70_000), 'too big inline request'],
];

for (const [text, fault] of faults) {
  parsing(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.is(parse(text).error, `ERR Protocol error: ${fault}`);
    const slow = new Feeder();
    const bytes = Buffer.from(text, 'latin1');
    const step = Math.ceil(bytes.length / 40);
    for (let at = 0; at < bytes.length; at += step) slow.feed(bytes.subarray(at, at + step));
    assert.is(slow.error, `ERR Protocol error: ${fault}`, 'in pieces too');
  });
}

parsing('takes what is just within the limits', () => {
  assert.equal(parse(`${'a'.repeat(65_000)}\r\n`).commands, [['a'.repeat(65_000)]]);
  const longest = 'v'.repeat(BULK_BYTES_MAX);
  assert.equal(parse(`*1\r\n$${BULK_BYTES_MAX}\r\n${longest}\r\n`).commands, [[longest]]);
  assert.is(parse('*2147483647\r\n').error, '');
});

parsing('holds whoever has not authenticated to short commands', () => {
  assert.is(parse('*11\r\n', true).error, 'ERR Protocol error: unauthenticated multibulk length');
  assert.is(parse('*10\r\n', true).error, '');
  assert.is(
    parse('*1\r\n$16385\r\n', true).error,
    'ERR Protocol error: unauthenticated bulk length',
  );
  assert.is(parse('*1\r\n$16384\r\n', true).error, '');
});

parsing('takes nothing from behind a fault', () => {
  const feeder = parse('*1\r\n$4\r\nPING\r\n*1\r\nfoo\r\n*1\r\n$4\r\nPING\r\n');
  assert.equal(feeder.commands, [['PING']]);
  assert.is(feeder.error, "ERR Protocol error: expected '$', got 'f'");
});

parsing.run();
