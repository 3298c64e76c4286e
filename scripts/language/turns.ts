/**
 * The field's English: turns of phrase that a reader has to decipher are counted in comments, in the sentences that the
 * product writes for its users and in documents, and their number may only shrink. `npm run tidy -- --language [words]` lists
 * them, each with its line.
 */
import { isTest, type SourceFile } from '../source-files.ts';
import { allowances } from './allowances.ts';

/** A banned turn, or a first word that leads nowhere. */
interface Finding {
  readonly file: string;
  readonly line: number;
  readonly kind: 'turn' | 'opening';
  /** The turn as it was found. */
  readonly found: string;
  /** The line on which it stands. */
  readonly shown: string;
}

const TO_BE = 'am|is|are|was|were|be|been|being';
const TO_HAVE = 'has|have|had';

/** Nouns of events: behind one of them means after it, and behind anything else may be a place. */
const EVENTS =
  'barriers?|batch(?:es)?|calls?|callbacks?|commands?|commits?|fsyncs?|rep(?:ly|lies)|requests?|restarts?|snapshots?|starts?|syncs?|transactions?|turns?|writes?';
const DETERMINERS =
  'the|a|an|its|their|his|this|that|these|those|each|every|all|such|any|one|own|last|first|other';

const turns = [
  'tell|tells|told|telling',
  'who(?:m|se)?(?:so)?ever|what(?:so)?ever|whosesoever',
  'nobody',
  `what (?:it|they|he|she|one) (?:${TO_HAVE})`,
  'so (?:many|long)',
  '(?:go|goes|going|gone|went) on',
  `(?:${TO_BE}|${TO_HAVE}) gone`,
  `(?:${TO_BE}) through`,
  `behind (?:(?:${DETERMINERS}) )*(?:${EVENTS})`,
  'anew',
  '(?:let|lets|letting) go',
  `(?:${TO_BE}|${TO_HAVE}) begun`,
  '(?:come|comes|came|coming) up',
  '(?:stand|stands|stood|standing) still',
].map((turn) => `\\b(?:${turn.replaceAll(' ', String.raw`[\s*/]+`)})\\b`);
const bannedTurn = new RegExp(turns.join('|'), 'gi');

/** First words of a comment or of a user's sentence that lead to no subject, or to a verb that the field does not use. */
const opening = /^(?:\/\*\*[\s*]*|['"`])(Answers|The same|Those)\b(?=[^'"`]* )/;

const strings = [
  String.raw`'(?:\\.|[^'\\\n])*'`,
  String.raw`"(?:\\.|[^"\\\n])*"`,
  // A template, whose expressions may hold other templates.
  '`(?:\\\\.|\\$\\{(?:[^{}`]|\\{[^{}]*\\}|`(?:\\\\.|[^`\\\\])*`)*\\}|[^`\\\\])*`',
];
const comments = [
  String.raw`\/\*[\s\S]*?\*\/`,
  // Lines that belong together are one comment: a turn may be wrapped.
  String.raw`(?<![:\\])\/\/.*(?:\n[ \t]*\/\/.*)*`,
];
/** A pattern of the code; it may hold quotes. */
const PATTERN = String.raw`(?<=[(,=:[!&|?{};]\s*|return\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*`;
const token = new RegExp(
  `(?<comment>${comments.join('|')})|(?<string>${strings.join('|')})|${PATTERN}`,
  'g',
);
/** Three words: a sentence, or a part of one, and no name. */
const SENTENCE = /[a-z]+[,;:]? \S*[a-z]\S* \S*[a-z]/i;
/** Names of code within a text. */
const QUOTED = /\$\{[^{}'"`]*\}|(?<!^)`[^`\n]*`(?!$)/g;

/** Parts of Markdown that are no prose: fenced blocks, code within a paragraph, and targets of links. */
const MARKDOWN_CODE = new RegExp(
  [
    String.raw`^[ \t]*(?<fence>\`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\k<fence>|$(?![\s\S]))`,
    String.raw`(?<!\`)(?<ticks>\`+)(?!\`)(?:(?!\n[ \t]*\n)[\s\S])*?(?<!\`)\k<ticks>(?!\`)`,
    String.raw`(?<=\])\([^()\n]*\)`,
  ].join('|'),
  'gm',
);

/**
 * Returns the banned turns and openings of a file: in its comments and, where it is a part of the product, in its sentences;
 * of a document in Markdown the turns outside of code.
 */
export function findingsIn(source: SourceFile): Finding[] {
  return source.file.endsWith('.md') ? findingsInDocument(source) : findingsInCode(source);
}

function findingsInDocument({ file, text }: SourceFile): Finding[] {
  const prose = text.replaceAll(MARKDOWN_CODE, blank);
  return [...prose.matchAll(bannedTurn)].map((match) =>
    findingAt({ file, text }, match.index, 'turn', match[0]),
  );
}

/** Returns a text of equal length that has only its line ends. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

function findingAt(
  { file, text }: SourceFile,
  index: number,
  kind: Finding['kind'],
  turn: string,
): Finding {
  const line = text.slice(0, index).split('\n').length;
  const shown = text.split('\n', line).at(-1)!.trim();
  return { file, line, kind, found: turn.replaceAll(/[\s*/]+/g, ' '), shown };
}

function findingsInCode({ file, text }: SourceFile): Finding[] {
  const isForUsers = /^(?:packages|workers)\//.test(file) && !isTest(file) && !isForTests(file);
  const found: Finding[] = [];
  const add = (index: number, kind: Finding['kind'], turn: string): void => {
    found.push(findingAt({ file, text }, index, kind, turn));
  };
  const read = (piece: string, at: number): void => {
    const plain = piece.replaceAll(QUOTED, (name) => ' '.repeat(name.length));
    for (const match of plain.matchAll(bannedTurn)) add(at + match.index, 'turn', match[0]);
    const first = opening.exec(piece)?.[1];
    if (first !== undefined) add(at + piece.indexOf(first), 'opening', first);
  };
  const rest = text.replaceAll(token, (piece: string, ...args: unknown[]) => {
    const { comment, string } = args.at(-1) as Record<'comment' | 'string', string | undefined>;
    const at = args.at(-3) as number;
    if (comment !== undefined) read(piece, at);
    else if (string !== undefined && isForUsers && SENTENCE.test(string)) read(piece, at);
    return blank(piece);
  });
  if (isForUsers && file.endsWith('.tsx')) {
    // The text of a page stands between tags and expressions.
    for (const match of rest.matchAll(/(?<=[>}])[^<>{}]*[a-z] [^<>{}]*(?=[<{])/gi)) {
      if (SENTENCE.test(match[0])) read(match[0], match.index);
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

function isForTests(file: string): boolean {
  return file.startsWith('packages/testkit/');
}

/** Returns the faults of packages, top folders and top documents whose findings are not as many as they are allowed. */
export function languageFaults(files: readonly SourceFile[], allowed = allowances): string[] {
  const counts = new Map<string, [turns: number, openings: number]>();
  for (const { file, kind } of files.flatMap(findingsIn)) {
    const name = packageOf(file);
    const count = counts.get(name) ?? [0, 0];
    counts.set(name, count);
    count[kind === 'turn' ? 0 : 1] += 1;
  }
  return [...new Set([...counts.keys(), ...Object.keys(allowed)])].sort().flatMap((name) => {
    const [turnCount, openingCount] = counts.get(name) ?? [0, 0];
    const [turnsAllowed, openingsAllowed] = allowed[name] ?? [0, 0];
    if (turnCount === turnsAllowed && openingCount === openingsAllowed) return [];
    return [
      `${name}: has ${turnCount} turns and ${openingCount} openings that are not plain English, but [${turnsAllowed}, ${openingsAllowed}] are allowed in language/allowances.ts (npm run tidy -- --language ${name})`,
    ];
  });
}

/** Returns the lines of `--language`: each finding whose path holds one of the words, and all without words. */
export function languageList(files: readonly SourceFile[], words: readonly string[]): string[] {
  return files
    .filter(({ file }) => words.length === 0 || words.some((word) => file.includes(word)))
    .flatMap(findingsIn)
    .map(({ file, line, found, shown }) => `${file}:${line}: '${found}' in: ${shown}`);
}

function packageOf(file: string): string {
  const [top = '', name = '', below] = file.split('/');
  return top === 'packages' && below !== undefined ? name : top;
}
