/** Mistakes as clients make them: a word too few, too many, twice, elsewhere, or another one. */
import type { Draw } from './draw.ts';
import type { Words } from './family.ts';

const JUNK: readonly string[] = [
  ...[
    '',
    'x',
    '-1',
    '0',
    '1',
    '1.5',
    'nan',
    '9223372036854775807',
    '9223372036854775808',
    '\x00\xff',
  ],
  ...[
    'NX',
    'XX',
    'GET',
    'COUNT',
    'LIMIT',
    'WITHSCORES',
    'BY',
    'EX',
    '(1',
    '[a',
    'FIELDS',
    'a b',
    '\r\n',
  ],
];

const MISTAKES: readonly ((words: string[], at: number, draw: Draw) => void)[] = [
  (words, at) => void words.splice(at, 1),
  (words, at, draw) => void words.splice(at, 0, draw.random.pick(JUNK)),
  (words, at) => void words.splice(at, 0, words[at]!),
  (words, at, draw) => (words[at] = draw.random.pick(JUNK)),
  (words, at) => (words[at] = words[at]!.toLowerCase()),
  (words, at, draw) => {
    const other = draw.random.integer(1, words.length - 1);
    [words[at], words[other]] = [words[other]!, words[at]!];
  },
  (words, at) => void words.splice(at),
  (words, _, draw) => void words.push(draw.random.pick(JUNK)),
];

/** The command with one mistake, or only spelt otherwise. */
export function mangled(command: Words, draw: Draw): Words {
  const words = [...command];
  if (draw.chance(0.2)) words[0] = words[0]!.toLowerCase();
  if (words.length > 1) {
    const at = draw.random.integer(1, words.length - 1);
    draw.random.pick(MISTAKES)(words, at, draw);
  }
  return words;
}
