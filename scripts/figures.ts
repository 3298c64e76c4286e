/** Figures of the house: what `npm run tidy -- --figures` prints, and what a change of structure is judged by. */
import path from 'node:path';
import { isTest, withoutComments, type SourceFile } from './source-files.ts';
import { opensWithoutSubject } from './tidiness.ts';

/** Files that a folder may have before it wants rooms. */
const FOLDER_FILES = 20;

/** One line for each figure. */
export function figures(files: readonly SourceFile[]): string[] {
  const lengths = files.map(({ text }) => text.split('\n').length - 1).sort((a, b) => a - b);
  const at = (share: number): number => lengths[Math.floor(share * (lengths.length - 1))] ?? 0;
  const folders = new Map<string, number>();
  for (const { file } of files) {
    const folder = path.posix.dirname(file);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const large = [...folders].filter(([, count]) => count > FOLDER_FILES);
  const comments = files.reduce((sum, { text }) => sum + opensWithoutSubject(text).length, 0);
  return [
    `files: ${files.length}, of ${at(0.5)} lines in the median, 90 % of at most ${at(0.9)}`,
    `folders over ${FOLDER_FILES} files: ${large.map(([name, count]) => `${name} ${count}`).join(', ') || 'none'}`,
    `exports that no other file imports: ${unusedExports(files).length}`,
    `comments that begin with a question word or a preposition: ${comments}`,
  ];
}

/** Names that a file exports and that stand in no import of another: `file name`. */
export function unusedExports(files: readonly SourceFile[]): string[] {
  const imported = new Map<string, Set<string>>();
  for (const { file, text } of files) {
    for (const { groups } of withoutComments(text).matchAll(
      /^(?:import|export)\s+(?:type\s+)?\{(?<names>[^}]*)\}\s+from/gm,
    )) {
      for (const name of namesIn(groups!['names']!)) {
        const users = imported.get(name) ?? new Set();
        imported.set(name, users.add(file));
      }
    }
  }
  const unused: string[] = [];
  for (const { file, text } of files) {
    if (isTest(file) || /\b(index|main)\.tsx?$/.test(file)) continue;
    for (const [, name = ''] of withoutComments(text).matchAll(
      /^export (?:async )?(?:const|function\*?|class|interface|type|abstract class) (\w+)/gm,
    )) {
      const users = imported.get(name);
      if (users === undefined || [...users].every((user) => user === file)) {
        unused.push(`${file} ${name}`);
      }
    }
  }
  return unused;
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.replace(/^\s*type\s+/, '').replace(/\s+as\s+.*$/s, ''))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
