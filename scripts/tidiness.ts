/**
 * Rules of form that neither the compiler nor the linter knows.
 */
import path from 'node:path';
import { importsOf, isTest, withoutComments, type SourceFile } from './source-files.ts';

/** Marks of work left over; in pieces, so that this line is none. */
const leftovers = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`);

/** First words that leave the first sentence of a comment without its subject or its verb. */
const openers = 'What|Whether|How|Where|When|Who|Whoever|Which|Why|Of|By|Those|That';
const opening = new RegExp(`/\\*\\*\\s*(?:\\*\\s*)?(?:${openers})\\b.*`, 'g');

/** Doc comments whose first sentence cannot be read alone, each up to the end of its line. */
export function opensWithoutSubject(text: string): string[] {
  return text.match(opening) ?? [];
}

/** Sentences among the strings of a file that begin so: users read them, on a line or a row of their own. */
const openingString = new RegExp(`'((?:${openers}) [a-z][^'\\n]*\\.)'`, 'g');

/** Files of the product that write for users. */
const shownToUsers = /^packages\/(?:base|commands|config|http|quantities|server|stats|telemetry)\//;

/** Most files of a folder. */
export const FOLDER_FILES_MAX = 20;

/** Files that run by themselves, or that others reach by their name. */
const entries = [
  /^(scripts|bench|workers)\//,
  /^packages\/[^/]+\/index\.ts$/,
  /^packages\/server\/(main|load-program)\.ts$/,
  /^packages\/debug-ui\/view\/main\.tsx$/,
  /\.d\.ts$/,
];

/** Returns what is untidy, one line each. */
export function tidyFaults(files: readonly SourceFile[]): string[] {
  return [
    ...files.flatMap(fileFaults),
    ...deadFiles(files),
    ...filesForTests(files),
    ...[...folderCounts(files)]
      .filter(([, count]) => count > FOLDER_FILES_MAX)
      .map(([folder, count]) => `${folder}: has ${count} files: find rooms for them`),
  ];
}

/** Numbers of files by folder. */
export function folderCounts(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { file } of files) {
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

function fileFaults(source: SourceFile): string[] {
  const { file, text } = source;
  const faults: string[] = [];
  if (!/^[a-z\d]+([.-][a-z\d]+)*\.tsx?$/.test(path.basename(file))) {
    faults.push('has a name that is not kebab-case');
  }
  const leftover = leftovers.exec(text)?.[1];
  if (leftover !== undefined) faults.push(`has a ${leftover}: finish it, or open an issue`);
  if (/eslint-disable(?!.* -- )/.test(text)) faults.push('disables a lint rule without a reason');
  for (const comment of opensWithoutSubject(text)) {
    faults.push(`has a comment whose first sentence cannot be read alone: ${comment}`);
  }
  faults.push(...lostComments(text));
  if (shownToUsers.test(file) && !isTest(file)) {
    for (const [, sentence] of withoutComments(text).matchAll(openingString)) {
      faults.push(`has a sentence for users that cannot be read alone: ${sentence!}`);
    }
  }
  if (isTest(file) || file.startsWith('packages/testkit/')) faults.push(...testFaults(source));
  return faults.map((fault) => `${file}: ${fault}`);
}

/** Strings and comments that are no doc comments, so that none is looked for in them; or a doc comment with the space behind it. */
const DOC_COMMENT = new RegExp(
  [
    ...[String.raw`'(?:\\.|[^'\\\n])*'`, String.raw`"(?:\\.|[^"\\\n])*"`, '`(?:\\\\.|[^`\\\\])*`'],
    ...[String.raw`(?<![:\\])\/\/.*`, String.raw`\/\*(?!\*)[\s\S]*?\*\/`],
    String.raw`(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)(\s*)`,
  ].join('|'),
  'g',
);

/** Doc comments that have lost their line: behind one is another one, or a blank line, or the end of what they are in. */
function lostComments(text: string): string[] {
  return [...text.matchAll(DOC_COMMENT)].flatMap(
    ({ 0: { length }, 1: comment, 2: space, index }) => {
      if (comment === undefined || space === undefined) return [];
      // The first of a file is about the file.
      const isHead = text.slice(0, index).replace(/^#!.*/, '').trim() === '';
      const rest = text.slice(index + length);
      const shown = comment.split('\n', 1)[0]!;
      if (rest.startsWith('/**') && !(isHead && space.includes('\n\n'))) {
        return [`has a doc comment before another one: ${shown}`];
      }
      if (!isHead && space.includes('\n\n'))
        return [`has a doc comment before a blank line: ${shown}`];
      return /^[}\])]|^$/.test(rest) && !isHead
        ? [`has a doc comment before nothing: ${shown}`]
        : [];
    },
  );
}

/** Files of tests that may let a fixed time pass, and why. */
const sleepers: Readonly<Record<string, string>> = {
  'packages/testkit/until.ts': 'it is what others wait with',
  'packages/differential/crowd/crowd.ts': 'it looks every millisecond, thousands of times',
  'packages/e2e/observability/mixed-load.ts': 'rests are a part of its load',
};

/** Returns the pauses in code without strings: a promise that a timer alone fulfils, timers of promises, and a page's. */
function pausesIn(code: string): string[] {
  const promised = /new Promise(?:<\w+>)?\(\(?\w+\)? => \{?\s*setTimeout\(\w+,/g;
  const imported = /^import \{[^}]*\b(?:setTimeout|scheduler)\b[^}]*\} from/gm;
  const ofPages = /\.waitForTimeout\(/g;
  return [promised, imported, ofPages].flatMap((pattern) => code.match(pattern) ?? []);
}

function testFaults({ file, text }: SourceFile): string[] {
  const code = withoutStrings(withoutComments(text));
  const faults: string[] = [];
  const pauses = sleepers[file] === undefined ? pausesIn(code) : [];
  if (pauses.length > 0) {
    faults.push(`pauses for a fixed time (${pauses.join(', ')}): wait for what it waits for`);
  }
  if (/\.only\(/.test(code)) faults.push('runs only some of its tests');
  const suites = [...code.matchAll(/^(?:export )?const (\w+) = suite\(/gm)].map(
    ([, name]) => name!,
  );
  for (const name of suites) {
    if (!code.includes(`${name}.run()`)) faults.push(`never runs its suite ${name}`);
  }
  if (suites.length > 1) faults.push('has more than one suite');
  if (suites.length === 0 && file.endsWith('.test.ts')) faults.push('has no suite');
  return faults;
}

function withoutStrings(code: string): string {
  return code.replaceAll(/`[^`]*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''");
}

/** Files that these import by their place. */
function importedBy(files: readonly SourceFile[]): Set<string> {
  return new Set(
    files.flatMap((source) =>
      importsOf(source)
        .filter(({ target }) => target.startsWith('.'))
        .map(({ target }) => path.posix.join(path.posix.dirname(source.file), target)),
    ),
  );
}

/** Files that only tests import, and whose names do not say so: they would pass for a part of the product. */
function filesForTests(files: readonly SourceFile[]): string[] {
  const all = importedBy(files);
  const used = importedBy(files.filter(({ file }) => !isTest(file)));
  return files
    .filter(({ file }) => /^(packages|workers)\//.test(file) && !isTest(file))
    .filter(({ file }) => all.has(file) && !used.has(file))
    .filter(({ file }) => !entries.some((entry) => entry.test(file)))
    .map(({ file }) => `${file}: only tests import it: it is dead, or a .test-helper.ts`);
}

/** Files that nothing imports and that are no entry. */
function deadFiles(files: readonly SourceFile[]): string[] {
  const imported = importedBy(files);
  return files
    .map(({ file }) => file)
    .filter((file) => !file.endsWith('.test.ts') && !imported.has(file))
    .filter((file) => !entries.some((entry) => entry.test(file)))
    .map((file) => `${file}: nothing imports it`);
}

/** Documents, and what they are held to. */
interface Documents {
  readonly readmes: readonly SourceFile[];
  /** Every file of the repository, by its path from the root. */
  readonly files: readonly string[];
  /** The text of package.json. */
  readonly manifest: string;
}

const MAP_FILE = 'packages/README.md';
/** A source file's name: between backticks, or in a block that is indented or fenced. */
const NAMED_FILE = /(?<![\w./*<>-])\.{0,2}[\w/][\w./-]*\.(?:tsx?|mjs|c|wat)(?![\w*/-])/g;

/** Names in READMEs that are no files, packages that the map lacks, and imports that lead nowhere. */
export function documentFaults({ readmes, files, manifest }: Documents): string[] {
  return [
    ...readmes.flatMap((readme) => nameFaults(readme, files)),
    ...mapFaults(readmes, files),
    ...importMapFaults(manifest, files),
  ];
}

function nameFaults({ file, text }: SourceFile, files: readonly string[]): string[] {
  const folder = path.posix.dirname(file);
  const names = new Set(codeOf(text).flatMap((code) => code.match(NAMED_FILE) ?? []));
  return [...names]
    .filter((name) => {
      const places = [name, `packages/${name}`, path.posix.join(folder, name)];
      return !files.some((known) => places.includes(known) || known.endsWith(`/${name}`));
    })
    .map((name) => `${file}: names ${name}, which does not exist`);
}

/** Returns the code of a document: between backticks, in indented lines and in fenced blocks. */
function codeOf(text: string): string[] {
  const fenced = /^```[^\n]*\n[\s\S]*?^```$/gm;
  const rest = text.replaceAll(fenced, '');
  return [...(text.match(fenced) ?? []), ...(rest.match(/`[^`]+`|^ {4}.*/gm) ?? [])];
}

function mapFaults(readmes: readonly SourceFile[], files: readonly string[]): string[] {
  const map = readmes.find(({ file }) => file === MAP_FILE)?.text ?? '';
  const packages = new Set(
    files.flatMap((file) => /^packages\/([^/]+)\//.exec(file)?.slice(1) ?? []),
  );
  return [...packages]
    .filter((name) => !new RegExp(`^\\| \\[?\`${name}\``, 'm').test(map))
    .map((name) => `${MAP_FILE}: the map lacks the package ${name}`);
}

function importMapFaults(manifest: string, files: readonly string[]): string[] {
  const { imports = {} } = JSON.parse(manifest) as { imports?: Readonly<Record<string, string>> };
  return Object.entries(imports).flatMap(([name, target]) => {
    const faults: string[] = [];
    if (!files.includes(path.posix.normalize(target))) {
      faults.push(`package.json: ${name} leads to ${target}, which does not exist`);
    }
    // JSON keeps the last of two.
    if (manifest.split(`"${name}":`).length > 2)
      faults.push(`package.json: ${name} is there twice`);
    return faults;
  });
}
