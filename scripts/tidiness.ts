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

/** Files that run by themselves, or that others reach by their name. */
const entries = [
  /^(scripts|bench|workers)\//,
  /^packages\/[^/]+\/index\.ts$/,
  /^packages\/server\/main\.ts$/,
  /^packages\/debug-ui\/view\/main\.tsx$/,
  /\.d\.ts$/,
];

/** Returns what is untidy, one line each. */
export function tidyFaults(files: readonly SourceFile[]): string[] {
  return [...files.flatMap(fileFaults), ...deadFiles(files)];
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
  if (isTest(file)) faults.push(...testFaults(source));
  return faults.map((fault) => `${file}: ${fault}`);
}

function testFaults({ file, text }: SourceFile): string[] {
  const code = withoutStrings(withoutComments(text));
  const faults: string[] = [];
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

/** Files that nothing imports and that are no entry. */
function deadFiles(files: readonly SourceFile[]): string[] {
  const imported = new Set(
    files.flatMap((source) =>
      importsOf(source)
        .filter(({ target }) => target.startsWith('.'))
        .map(({ target }) => path.posix.join(path.posix.dirname(source.file), target)),
    ),
  );
  return files
    .map(({ file }) => file)
    .filter((file) => !file.endsWith('.test.ts') && !imported.has(file))
    .filter((file) => !entries.some((entry) => entry.test(file)))
    .map((file) => `${file}: nothing imports it`);
}
