/** Splits rules that stand in one text: words between spaces, in quotes where a word has spaces itself (as Redis' sdssplitargs). */

const WORD = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\')*)'|([^\s"']\S*))(?=\s|$)/y;

/** The words of a text; undefined when quotes are not closed, or not followed by a space. */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  const end = text.trimEnd().length;
  WORD.lastIndex = 0;
  while (WORD.lastIndex < end) {
    const match = WORD.exec(text);
    if (match === null) return undefined;
    const [, double, single, bare] = match;
    words.push(bare ?? single?.replaceAll("\\'", "'") ?? unescaped(double!));
  }
  return words;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  a: '\x07',
};

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:x([0-9a-f]{2})|([\s\S]))/gi, (_all, hex?: string, char?: string) =>
    hex === undefined ? (ESCAPES[char!] ?? char!) : String.fromCharCode(parseInt(hex, 16)),
  );
}
