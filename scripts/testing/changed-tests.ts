/** Tests that a change concerns: those that are changed, and those that reach a changed source by imports. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { importsOf, type SourceFile } from '../source-files.ts';

/**
 * Returns the sources of tests that reach one of the changed files by imports.
 *
 * A test of a server starts the bundle and imports none of its packages, so only a change of its own or of the testkit
 * reaches it: `npm test` as a whole is for those.
 */
export function testsReaching(
  sources: readonly SourceFile[],
  packages: Readonly<Record<string, string>>,
  changed: ReadonlySet<string>,
): Set<string> {
  const importers = new Map<string, string[]>();
  for (const source of sources) {
    for (const { target } of importsOf(source)) {
      const file = resolved(source.file, target, packages);
      if (file === undefined) continue;
      const list = importers.get(file) ?? [];
      importers.set(file, [...list, source.file]);
    }
  }
  const reached = new Set(changed);
  for (const file of reached) {
    for (const importer of importers.get(file) ?? []) reached.add(importer);
  }
  return new Set([...reached].filter((file) => file.endsWith('.test.ts')));
}

function resolved(
  from: string,
  target: string,
  packages: Readonly<Record<string, string>>,
): string | undefined {
  if (target.startsWith('.')) return path.posix.join(path.posix.dirname(from), target);
  const entry = packages[target];
  return entry === undefined ? undefined : path.posix.normalize(entry);
}

/**
 * Returns the files that differ from the commit where this branch left `main`, or from the last commit on `main` itself;
 * files that git does not know are among them. Throws where there is no git.
 */
export function changedFiles(root: string): Set<string> {
  const git = (...args: string[]): string[] => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
    return stdout.split('\n').filter((line) => line !== '');
  };
  const [base = 'HEAD'] = git('merge-base', 'HEAD', 'main');
  return new Set([
    ...git('diff', '--name-only', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]);
}
