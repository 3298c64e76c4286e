/**
 * Text of a command with placeholders, as `--command` has it: `SET {prefix}key:{key} {value}`.
 *
 *   {key}      number of a key, of twelve digits, by the order of keys
 *   {prefix}   text of --prefix
 *   {value}    a value, by --value-size
 *   {element}  number below --elements, of six digits: a field, member or index
 *   {random}   any number, of twelve digits
 *   {{tag}}    the text `{tag}` as it is
 */

/** Part of a word. */
export type WordPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'key' | 'value' | 'element' | 'random' };

export interface Template {
  /** Name of its command in upper case, with the second word of commands that have subcommands. */
  readonly name: string;
  readonly words: readonly (readonly WordPart[])[];
}

const WORD = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\S+)/gs;
const ESCAPE = /\\(.)/gs;
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['a', '\x07'],
  ['b', '\b'],
]);
const PART = /\{\{([^{}]*)\}\}|\{([^{}]*)\}/g;
const PLACEHOLDERS = ['key', 'value', 'element', 'random'] as const;

/** Reads a template; throws an Error that names the mistake. */
export function readTemplate(text: string, prefix: string): Template {
  const words = [...text.matchAll(WORD)].map(([, double, single, plain]) => {
    if (double !== undefined) return unescaped(double);
    return single?.replaceAll("\\'", "'") ?? plain ?? '';
  });
  for (const [, quoted, , plain] of text.matchAll(WORD)) {
    if (quoted !== undefined || plain === undefined || !/["']/.test(plain)) continue;
    const what = /^["']/.test(plain) ? 'is not closed' : 'begins inside of a word';
    throw new Error(`--command ${text}: a quote ${what}`);
  }
  return templateOf(words, prefix, text);
}

/** Makes a template of words; `shown` is what an error names. */
export function templateOf(
  words: readonly string[],
  prefix: string,
  shown = words.join(' '),
): Template {
  const [first = ''] = words;
  if (first === '') throw new Error('--command has no command');
  const read = words.map((word) => partsOf(word, prefix, shown));
  if (read[0]!.some(({ kind }) => kind !== 'text')) {
    throw new Error(`--command ${shown}: the command's name has a placeholder`);
  }
  for (const parts of read) {
    if (parts.filter(({ kind }) => kind === 'value').length > 1) {
      throw new Error(`--command ${shown}: a word has more than one {value}`);
    }
  }
  return { name: first.toUpperCase(), words: read };
}

/** True if the text of --prefix has an effect on a template. */
export function usesPrefix(text: string): boolean {
  return /(?<!\{)\{prefix\}/.test(text);
}

function partsOf(word: string, prefix: string, shown: string): WordPart[] {
  const parts: WordPart[] = [];
  const text = (piece: string): void => {
    const last = parts.at(-1);
    if (piece === '') return;
    if (last?.kind === 'text') parts[parts.length - 1] = { kind: 'text', text: last.text + piece };
    else parts.push({ kind: 'text', text: piece });
  };
  let at = 0;
  for (const match of word.matchAll(PART)) {
    const [whole, literal, name] = match;
    text(word.slice(at, match.index));
    at = match.index + whole.length;
    if (literal !== undefined) text(`{${literal}}`);
    else if (name === 'prefix') text(prefix);
    else parts.push({ kind: placeholder(name ?? '', shown) });
  }
  text(word.slice(at));
  return parts;
}

function placeholder(name: string, shown: string): (typeof PLACEHOLDERS)[number] {
  const found = PLACEHOLDERS.find((each) => each === name);
  if (found !== undefined) return found;
  const known = PLACEHOLDERS.map((each) => `{${each}}`).join(', ');
  throw new Error(
    `--command ${shown}: unknown placeholder {${name}}; known: ${known}, {prefix}; {{${name}}} stands for the text`,
  );
}

function unescaped(text: string): string {
  return text.replaceAll(ESCAPE, (_, letter: string) => ESCAPED.get(letter) ?? letter);
}
