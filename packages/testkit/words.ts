/** Commands of tests, as they are written there. */

/** Words of a command, one after the other as a frame holds them: offset and length of each in `spans`. */
interface PackedWords {
  readonly bytes: Buffer;
  readonly spans: Int32Array;
  readonly count: number;
}

/** Arguments of commands; the package that has them is above this one. */
interface Pointable {
  point(bytes: Buffer, bodyAt: number, spans: Int32Array, spansAt: number, count: number): void;
}

/** Points new arguments at a command: words, or a line split at spaces, where `"..."` may hold `\xHH` and other JSON escapes. */
export function pointedAt<Args extends Pointable>(
  args: Args,
  line: string | readonly string[],
): Args {
  const { bytes, spans, count } = packedWords(line);
  args.point(bytes, 0, spans, 0, count);
  return args;
}

function packedWords(line: string | readonly string[]): PackedWords {
  const words = typeof line === 'string' ? splitLine(line) : line;
  const spans = new Int32Array(words.length * 2);
  let at = 0;
  for (const [index, word] of words.entries()) {
    spans[2 * index] = at;
    spans[2 * index + 1] = word.length;
    at += word.length;
  }
  return { bytes: Buffer.from(words.join(''), 'latin1'), spans, count: words.length };
}

function splitLine(line: string): string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  return words.map((word) => (word.startsWith('"') ? unquoted(word) : word));
}

function unquoted(word: string): string {
  return JSON.parse(word.replace(/\\x([0-9a-f]{2})/gi, '\\u00$1')) as string;
}
