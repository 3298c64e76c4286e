/** LCS: the longest common subsequence of two strings. */

import { type Bytes, CommandError, errors } from '#base';
import { ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { twoKeys } from '../definition/keys.ts';
import { findToRead } from '../elements/lookup.ts';

const lcs = oneShard({
  name: 'LCS',
  summary: 'Returns the longest common subsequence of two strings, its length or its positions.',
  since: '7.0.0',
  complexity: 'O(N*M) for strings of N and M bytes.',
  group: 'string',
  arity: -3,
  flags: ['readonly'],
  keys: twoKeys('RO', 'access'),
  args: [
    { name: 'key1', type: 'key' },
    { name: 'key2', type: 'key', keySpec: 0 },
    { name: 'len', type: 'pure-token', token: 'LEN', optional: true },
    { name: 'idx', type: 'pure-token', token: 'IDX', optional: true },
    { name: 'min-match-len', type: 'integer', token: 'MINMATCHLEN', optional: true },
    { name: 'withmatchlen', type: 'pure-token', token: 'WITHMATCHLEN', optional: true },
  ],
  run(context, args) {
    const [a, b] = bothStrings(context, args);
    const options = readOptions(args);
    const table = new LengthTable(context, a, b);
    if (options.answersLength) context.reply.integer(table.lengthOf(a.length, b.length));
    else if (options.answersPlaces) answerPlaces(context, table, options);
    else context.reply.bulk(table.subsequence());
  },
});

export const stringComparison = [lcs];

const notStrings = new CommandError('ERR The specified keys must contain string values');
const lengthAndPlaces = new CommandError(
  'ERR If you want both the length and indexes, please just use IDX.',
);
const tableTooLarge = new CommandError(
  'ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len',
);
const tableRefused = new CommandError(
  'ERR Insufficient memory, failed allocating transient memory for LCS',
);

/** Copies, since the second look-up may overwrite the view of the first. */
function bothStrings(context: ShardContext, args: Arguments): [Bytes, Bytes] {
  const { keyspace } = context;
  const [a, b] = [1, 2].map((index) => {
    const ref = findToRead(context, args, index);
    if (ref === 0) return Buffer.alloc(0);
    if (keyspace.type(ref) !== ValueType.string) return undefined;
    const { bytes, at, length } = keyspace.value(ref);
    return bytes.slice(at, at + length);
  });
  if (a === undefined || b === undefined) throw notStrings;
  return [a, b];
}

interface Options {
  answersLength: boolean;
  answersPlaces: boolean;
  withLengths: boolean;
  shortest: number;
}

function readOptions(args: Arguments): Options {
  const options: Options = {
    answersLength: false,
    answersPlaces: false,
    withLengths: false,
    shortest: 0,
  };
  args.position = 3;
  while (args.more) {
    if (args.takes('IDX')) options.answersPlaces = true;
    else if (args.takes('LEN')) options.answersLength = true;
    else if (args.takes('WITHMATCHLEN')) options.withLengths = true;
    else if (args.left >= 2 && args.takes('MINMATCHLEN')) {
      options.shortest = args.roundedAt(args.next());
    } else throw errors.syntax;
  }
  if (options.answersLength && options.answersPlaces) throw lengthAndPlaces;
  return options;
}

/** A run of bytes that both strings have, by its first byte in each. */
interface Match {
  aFirst: number;
  bFirst: number;
  bytes: number;
}

/** Lengths of the longest common subsequences of all pairs of beginnings. */
class LengthTable {
  readonly #a: Bytes;
  readonly #b: Bytes;
  readonly #width: number;
  readonly #lengths: Uint32Array;

  constructor({ settings }: ShardContext, a: Bytes, b: Bytes) {
    this.#a = a;
    this.#b = b;
    this.#width = b.length + 1;
    const cells = (a.length + 1) * this.#width;
    const bytes = cells * Uint32Array.BYTES_PER_ELEMENT;
    if (bytes > settings.number('server.proto-max-bulk-len')) throw tableTooLarge;
    this.#lengths = allocate(cells);
    this.#fill();
  }

  lengthOf(aBytes: number, bBytes: number): number {
    return this.#lengths[aBytes * this.#width + bBytes]!;
  }

  subsequence(): Bytes {
    let at = this.lengthOf(this.#a.length, this.#b.length);
    const result = Buffer.allocUnsafe(at);
    for (const aIndex of this.#pairs()) {
      at -= 1;
      result[at] = this.#a[aIndex[0]]!;
    }
    return result;
  }

  /** The runs of the subsequence, the last one first. */
  matches(): Match[] {
    const matches: Match[] = [];
    let current: Match | undefined;
    for (const [aIndex, bIndex] of this.#pairs()) {
      if (current?.aFirst === aIndex + 1 && current.bFirst === bIndex + 1) {
        current.aFirst = aIndex;
        current.bFirst = bIndex;
        current.bytes += 1;
      } else {
        current = { aFirst: aIndex, bFirst: bIndex, bytes: 1 };
        matches.push(current);
      }
    }
    return matches;
  }

  /** The places of the subsequence's bytes, from its end. Of equal ways it takes Redis'. */
  *#pairs(): Generator<readonly [aIndex: number, bIndex: number]> {
    let i = this.#a.length;
    let j = this.#b.length;
    while (i > 0 && j > 0) {
      if (this.#a[i - 1] === this.#b[j - 1]) {
        yield [i - 1, j - 1];
        i -= 1;
        j -= 1;
      } else if (this.lengthOf(i - 1, j) > this.lengthOf(i, j - 1)) {
        i -= 1;
      } else {
        j -= 1;
      }
    }
  }

  #fill(): void {
    const lengths = this.#lengths;
    const width = this.#width;
    const a = this.#a;
    const b = this.#b;
    for (let i = 1; i <= a.length; i += 1) {
      const byte = a[i - 1]!;
      const row = i * width;
      const above = row - width;
      let left = 0;
      let diagonal = 0;
      for (let j = 1; j < width; j += 1) {
        const up = lengths[above + j]!;
        if (byte === b[j - 1]!) left = diagonal + 1;
        else if (up > left) left = up;
        lengths[row + j] = left;
        diagonal = up;
      }
    }
  }
}

function allocate(cells: number): Uint32Array {
  try {
    return new Uint32Array(cells);
  } catch {
    throw tableRefused;
  }
}

function answerPlaces({ reply }: ShardContext, table: LengthTable, options: Options): void {
  const all = table.matches();
  const matches = all.filter(({ bytes }) => bytes >= options.shortest);
  reply.mapHeader(2);
  reply.text('matches');
  reply.arrayHeader(matches.length);
  for (const { aFirst, bFirst, bytes } of matches) {
    reply.arrayHeader(options.withLengths ? 3 : 2);
    for (const first of [aFirst, bFirst]) {
      reply.arrayHeader(2);
      reply.integer(first);
      reply.integer(first + bytes - 1);
    }
    if (options.withLengths) reply.integer(bytes);
  }
  reply.text('len');
  reply.integer(all.reduce((total, { bytes }) => total + bytes, 0));
}
