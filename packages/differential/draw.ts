/**
 * The words commands are made of: mostly such that commands meet each other's keys and elements, and
 * often enough at the edge of what is allowed.
 */
import type { Random } from '#testkit';

const LONG = 'long-'.repeat(20);

/** Keys on all shards, two that share a tag, one that is empty and one that is no text. */
export const KEYS: readonly string[] = [
  ...['a', 'b', 'c', 'd', 'key:1', 'key:2', '{tag}1', '{tag}2', '', '\x00\r\n\xff'],
];

const MEMBERS: readonly string[] = [
  ...[
    'a',
    'b',
    'c',
    'ab',
    'aB',
    'z',
    '',
    ' ',
    '\x00\xff',
    'a\r\nb',
    '0',
    '1',
    '2',
    '-1',
    '007',
    '+1',
  ],
  ...['127', '128', '-32768', '32768', '2147483648', '-2147483649', '9223372036854775807', '1.0'],
  ...['-9223372036854775808', '9223372036854775808', LONG, 'x'.repeat(64), 'y'.repeat(65), '1e3'],
];

const INTEGERS: readonly string[] = [
  ...['9223372036854775807', '-9223372036854775808', '9223372036854775808', '9007199254740993'],
  ...['-9223372036854775807', '9007199254740992', '4294967296', '2147483648', '-2147483649'],
  ...['', ' 1', '1 ', '+1', '-0', '00', '01', '1.0', '1e3', '0x10', 'abc', 'nan', 'inf', '\x00'],
  ...['18446744073709551616', '99999999999999999999999', '--1', '-'],
];

const FLOATS: readonly string[] = [
  ...[
    '0',
    '-0',
    '0.0',
    '1',
    '-1',
    '0.1',
    '0.2',
    '1.5',
    '-2.5',
    '3.0',
    '3e0',
    '1e3',
    '1E3',
    '5.',
    '.5',
  ],
  ...[
    'inf',
    '-inf',
    '+inf',
    'Infinity',
    'nan',
    '-nan',
    'NaN',
    '1e308',
    '-1e308',
    '1e309',
    '1e-320',
  ],
  ...[
    '1e-400',
    '9007199254740993',
    '9223372036854775807',
    '0x10',
    '0x1p3',
    '',
    ' 1',
    '1 ',
    '1a',
    '--1',
  ],
  ...[
    '1e-7',
    '123456789.123456789',
    '0.30000000000000004',
    '17179869184',
    '1e21',
    '1e-5',
    '1_0',
    'e',
  ],
];

const BAD_TIMES: readonly string[] = ['0', '-1', '-1000', 'abc', '', '1.5', '9223372036854775807'];

/** A source of words. */
export class Draw {
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  key(): string {
    return this.random.pick(KEYS);
  }

  keys(least: number, most: number): string[] {
    return this.list(least, most, () => this.key());
  }

  list(least: number, most: number, make: () => string): string[] {
    return Array.from({ length: this.random.integer(least, most) }, make);
  }

  pick(...words: readonly string[]): string {
    return this.random.pick(words);
  }

  chance(probability: number): boolean {
    return this.random.chance(probability);
  }

  integer(least: number, most: number): string {
    return String(this.random.integer(least, most));
  }

  /** A field, member or element that others meet again. */
  member(): string {
    if (this.chance(0.2)) return `m:${this.integer(0, 60)}`;
    return this.random.pick(MEMBERS);
  }

  /** Any value: mostly a member, sometimes long, sometimes any bytes. */
  value(): string {
    const kind = this.random.fraction();
    if (kind < 0.8) return this.member();
    if (kind < 0.9) return this.integer(-1000, 100000);
    if (kind < 0.97) return this.random.bytes(this.random.integer(0, 40)).toString('latin1');
    return this.pick('v', 'w').repeat(this.random.integer(60, 3000));
  }

  /** An integer, mostly a small one. */
  number(): string {
    if (this.chance(0.15)) return this.random.pick(INTEGERS);
    return this.integer(-20, 20);
  }

  /** An index or count, negative ones too; never one that asks for a huge reply. */
  index(): string {
    if (this.chance(0.08))
      return this.pick('abc', '', '1.5', '9223372036854775807', '2147483648', '+1');
    return this.integer(-12, 12);
  }

  /** Mostly above zero. */
  count(): string {
    if (this.chance(0.12)) return this.index();
    return this.integer(1, 6);
  }

  float(): string {
    if (this.chance(0.3)) return this.random.pick(FLOATS);
    if (this.chance(0.3))
      return String((this.random.fraction() - 0.5) * 10 ** this.random.integer(-8, 18));
    return this.integer(-10, 10);
  }

  /**
   * Seconds from now, mostly. Two that are equal come close to never: whether one is later than the
   * other would depend on the millisecond.
   */
  seconds(): string {
    return this.chance(0.12) ? this.random.pick(BAD_TIMES) : this.integer(1_000, 100_000_000);
  }

  milliseconds(): string {
    return this.chance(0.12) ? this.random.pick(BAD_TIMES) : this.integer(1e6, 1e12);
  }

  /** A moment in seconds since 1970: in the past, or decades from now. */
  moment(): string {
    return this.chance(0.15) ? this.pick('1', ...BAD_TIMES) : this.integer(4e9, 4.1e9);
  }

  momentMs(): string {
    return this.chance(0.15) ? this.pick('1', ...BAD_TIMES) : this.integer(4e12, 4.1e12);
  }

  /** The words with this probability, else none. */
  maybe(probability: number, ...words: readonly string[]): readonly string[] {
    return this.chance(probability) ? words : [];
  }

  /** Some of the options in any order; seldom one of them twice. */
  options(probability: number, ...options: readonly (readonly string[])[]): string[] {
    const chosen = options.filter(() => this.chance(probability));
    if (chosen.length > 0 && this.chance(0.05)) chosen.push(this.random.pick(chosen));
    return this.random.shuffled(chosen).flat();
  }

  /** A bound of a range of scores. */
  scoreBound(): string {
    if (this.chance(0.25))
      return this.pick('-inf', '+inf', 'inf', '(inf', '(-inf', '(', '((1', '(nan');
    return `${this.chance(0.3) ? '(' : ''}${this.float()}`;
  }

  /** A bound of a range of members. */
  lexBound(): string {
    if (this.chance(0.3)) return this.pick('-', '+', '-', '+', '', '[', '(', '-a', '+a', 'a');
    return `${this.pick('[', '(')}${this.member()}`;
  }

  glob(): string {
    return this.pick(
      '*',
      '?',
      'a*',
      '[a-c]',
      '[^a]',
      '\\*',
      '*1*',
      'key:?',
      '',
      '{*',
      '[',
      'm:*',
      '**a',
    );
  }
}
