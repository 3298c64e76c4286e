/** Random replies of both protocols, cut at random, against the values that they were written from; and random bytes. */

import { withRandom, type Random } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReplyCounter } from './reply-counter.ts';
import { MalformedReply, ReplyParser } from './reply-parser.ts';
import { ReplyError, ReplyValues, type Reply } from './reply-values.ts';

const random = suite('random replies');

const ROUNDS = 300;
const REPLIES_MAX = 30;
const DEPTH_MAX = 5;
const NOISE_ROUNDS = 2_000;

interface Written {
  readonly text: string;
  readonly value: Reply;
  /** Errors in it, in order. */
  readonly errors: readonly string[];
}

function plain(text: string, value: Reply): Written {
  return { text, value, errors: [] };
}

function bulk(source: Random, kind: string, prefix = ''): Written {
  const content = source
    .bytes(source.integer(0, source.chance(0.1) ? 5_000 : 30))
    .toString('latin1');
  const all = prefix + content;
  const text = `${kind}${all.length}\r\n${all}\r\n`;
  return kind === '!' ? { text, value: null, errors: [content] } : plain(text, content);
}

function list(source: Random, kind: string, depth: number): Written {
  const count = source.integer(0, 4) * (kind === '%' ? 2 : 1);
  const items = Array.from({ length: count }, () => write(source, depth + 1));
  return {
    text: `${kind}${kind === '%' ? count / 2 : count}\r\n${items.map(({ text }) => text).join('')}`,
    value: items.map(({ value }) => value),
    errors: items.flatMap(({ errors }) => errors),
  };
}

/** Attributes of a reply, with the reply; a push may stand before one, but not in one. */
function beside(source: Random, kind: string, depth: number): Written {
  const deferred = list(source, kind === '|' ? '%' : '*', depth);
  const { text, value, errors } = write(source, depth);
  return { text: kind + deferred.text.slice(1) + text, value, errors };
}

function write(source: Random, depth = 0): Written {
  const number = source.integer(-1_000_000, 1_000_000);
  const forms: readonly (readonly [number, () => Written])[] = [
    [4, () => plain(`+s${number}\r\n`, `s${number}`)],
    [4, () => plain(`:${number}\r\n`, number)],
    [2, () => ({ text: `-ERR ${number}\r\n`, value: null, errors: [`ERR ${number}`] })],
    [4, () => bulk(source, '$')],
    [1, () => bulk(source, '!')],
    [1, () => bulk(source, '=', 'txt:')],
    [1, () => plain(source.pick(['$-1\r\n', '*-1\r\n', '_\r\n']), null)],
    [1, () => (source.chance(0.5) ? plain('#t\r\n', 1) : plain('#f\r\n', 0))],
    [1, () => plain(`,${number / 8}\r\n`, String(number / 8))],
    [1, () => plain(`(${number}\r\n`, String(number))],
    [depth < DEPTH_MAX ? 4 : 0, () => list(source, source.pick(['*', '~', '%']), depth)],
    [depth < DEPTH_MAX ? 1 : 0, () => beside(source, '|', depth)],
    [depth === 0 ? 1 : 0, () => beside(source, '>', depth)],
  ];
  return source.weighted(forms)();
}

/** Cuts bytes into pieces of random lengths, some of them of one byte. */
function* cut(source: Random, bytes: Buffer): Generator<Buffer, void> {
  const longest = source.pick([1, 5, 50, 5_000]);
  for (let at = 0; at < bytes.length;) {
    const end = at + source.integer(1, longest);
    // Pieces lie in memory that is used again, as that of a socket may be.
    const piece = Buffer.from(bytes.subarray(at, end));
    yield piece;
    piece.fill(0xff);
    at = end;
  }
}

random(
  'are read as they were written',
  withRandom((source) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const written = Array.from({ length: source.integer(1, REPLIES_MAX) }, () => write(source));
      const found: unknown[] = [];
      const values = new ReplyValues((reply) => {
        found.push(reply instanceof ReplyError ? `!${reply.message}` : reply);
      });
      const errors: string[] = [];
      let ends = 0;
      const readers = [
        new ReplyParser(values),
        new ReplyParser({ error: (text) => errors.push(text), end: () => (ends += 1) }),
      ];
      const bytes = Buffer.from(written.map(({ text }) => text).join(''), 'latin1');
      for (const reader of readers) {
        for (const piece of cut(source, bytes)) reader.takeAll(piece);
      }
      assert.equal(
        found,
        written.map(({ value, errors: [first] }) => (first === undefined ? value : `!${first}`)),
      );
      assert.equal(
        errors,
        written.flatMap((one) => one.errors),
      );
      assert.is(ends, written.length);
    }
  }),
);

random(
  'are counted as the parser finds them, each with its first error',
  withRandom((source) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const written = Array.from({ length: source.integer(1, REPLIES_MAX) }, () => write(source));
      const found: (string | undefined)[] = [];
      const counter = new ReplyCounter((error) => found.push(error));
      const bytes = Buffer.from(written.map(({ text }) => text).join(''), 'latin1');
      for (const piece of cut(source, bytes)) {
        // A piece lies somewhere in larger memory, whose other bytes are of no meaning.
        const memory = source.bytes(piece.length + 20);
        const at = source.integer(0, 20);
        memory.set(piece, at);
        counter.take(memory, at, at + piece.length);
      }
      assert.equal(
        found,
        written.map(({ errors: [first] }) => first?.slice(0, 512)),
      );
    }
  }),
);

random(
  'that are spoilt end in a refusal, or are read, but never in another error',
  withRandom((source) => {
    let refused = 0;
    for (let round = 0; round < NOISE_ROUNDS; round += 1) {
      const written = Array.from({ length: 4 }, () => write(source).text).join('');
      const bytes = Buffer.from(written, 'latin1');
      for (let nth = source.integer(1, 4); nth > 0; nth -= 1) {
        bytes[source.integer(0, bytes.length - 1)] = source.pick([
          ...Buffer.from('+-:$*~%>|_#,(!=\r\n019x'),
        ]);
      }
      const parser = new ReplyParser(new ReplyValues(() => undefined));
      const counter = new ReplyCounter(() => undefined);
      try {
        for (const piece of cut(source, bytes)) counter.take(piece);
      } catch (error) {
        assert.instance(error, MalformedReply);
      }
      try {
        for (const piece of cut(source, bytes)) parser.takeAll(piece);
      } catch (error) {
        assert.instance(error, MalformedReply);
        refused += 1;
      }
    }
    assert.ok(refused > NOISE_ROUNDS / 4, `${refused} were refused`);
  }),
);

random.run();
