/** Commands of tests, as they are written there. */

import { Arguments } from '#commands';

/** The arguments of a command: words, or a line split at spaces, where `"..."` may hold `\xHH` and other JSON escapes. */
export function argumentsOf(line: string | readonly string[]): Arguments {
  const words = typeof line === 'string' ? splitLine(line) : line;
  const spans = new Int32Array(words.length * 2);
  let at = 0;
  for (const [index, word] of words.entries()) {
    spans[2 * index] = at;
    spans[2 * index + 1] = word.length;
    at += word.length;
  }
  const args = new Arguments();
  args.point(Buffer.from(words.join(''), 'latin1'), 0, spans, 0, words.length);
  return args;
}

function splitLine(line: string): string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  return words.map((word) => (word.startsWith('"') ? unquoted(word) : word));
}

function unquoted(word: string): string {
  return JSON.parse(word.replace(/\\x([0-9a-f]{2})/gi, '\\u00$1')) as string;
}
