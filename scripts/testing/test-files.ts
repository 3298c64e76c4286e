/** Test files of the build, and which of them a run takes. */

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readHead, type TestHead } from './test-head.ts';

/** One run of a test file: with the environment as it is, or with further variables. */
export interface TestRun {
  /** Compiled file, relative to the folder of the build. */
  readonly file: string;
  /** Further variables, as `NAME=value NAME=value`. */
  readonly variables: string;
  readonly head: TestHead;
  /** True for a file of the tier `long`, and for each `test-again`. */
  readonly isLong: boolean;
  /** True when the file starts no server, so that it may share a process. */
  readonly isUnit: boolean;
  readonly sourceBytes: number;
}

/** Share of the long runs, so that parts 0 to `count - 1` together are all of them. */
export interface Part {
  readonly index: number;
  readonly count: number;
}

/** Choice of runs. */
export interface Selection {
  /** Only files whose path contains one of these; all files when there are none. */
  readonly words: readonly string[];
  /** Long runs: none, a part of them, or all. */
  readonly long: 'none' | 'all' | Part;
  readonly unitOnly: boolean;
  /** Only these files, by their source's path; undefined for no such limit. */
  readonly only: ReadonlySet<string> | undefined;
}

/** Selection of a plain `npm test`. */
export const ORDINARY: Selection = { words: [], long: 'none', unitOnly: false, only: undefined };

/** Folders whose tests start servers, browsers or other programs. */
const PROCESS_FOLDERS = /^packages\/(?:differential|e2e)\//;

/** Returns all runs that the test files of a build ask for, in the order of their names. */
export function findRuns(folder: string, sourceFolder: string): TestRun[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.test.js') && !/(^|\/)node_modules\//.test(name))
    .sort()
    .flatMap((file) => runsOf(file, path.join(sourceFolder, sourceOf(file))));
}

/** Path of the source of a compiled file. */
function sourceOf(file: string): string {
  return file.replace(/\.js$/, '.ts');
}

function runsOf(file: string, source: string): TestRun[] {
  const text = existsSync(source) ? readFileSync(source, 'utf8') : '';
  const head = readHead(text);
  const isUnit = !PROCESS_FOLDERS.test(file);
  const run = { file, head, isUnit, sourceBytes: text.length };
  return [
    { ...run, variables: '', isLong: head.isLong },
    ...head.again.map((variables) => ({ ...run, variables, isLong: true })),
  ];
}

/** Name of a run in reports. */
export function nameOf({ file, variables }: TestRun): string {
  return variables === '' ? file : `${file} with ${variables}`;
}

/** Chooses runs. A long file is also taken when a word is in its own name, not only in its folder's. */
export function selectRuns(runs: readonly TestRun[], selection: Selection): TestRun[] {
  const { words, long, unitOnly, only } = selection;
  return runs.filter((run) => {
    if (unitOnly && !run.isUnit) return false;
    if (only !== undefined && !only.has(sourceOf(run.file))) return false;
    if (words.length > 0 && !words.some((word) => run.file.includes(word))) return false;
    return !run.isLong || takesLong(run, words, long);
  });
}

function takesLong(run: TestRun, words: readonly string[], long: Selection['long']): boolean {
  if (long === 'all') return true;
  const isNamed = words.some((word) => path.basename(run.file).includes(path.basename(word)));
  if (isNamed && run.variables === '') return true;
  if (long === 'none') return false;
  return hashOf(nameOf(run)) % long.count === long.index % long.count;
}

/** FNV-1a of a name: a new file moves no other one to another part. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return hash >>> 0;
}
