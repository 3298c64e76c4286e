/**
 * `npm test [-- options] [words]`: the test files, or those whose path contains one of the words.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSources } from './source-files.ts';
import { changedFiles, testsReaching } from './testing/changed-tests.ts';
import { runTests } from './testing/runner.ts';
import { Services } from './testing/services.ts';
import { readArguments, TEST_HELP, type TestArguments } from './testing/test-arguments.ts';
import { findRuns, nameOf, selectRuns, type Selection } from './testing/test-files.ts';
import { killRunningTests } from './testing/test-process.ts';
import { TestTimes } from './testing/test-times.ts';
import { summaryLine } from './testing/verdict.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const root = path.dirname(dist);

const wish = readOrExit();
if (wish.wantsHelp) {
  process.stdout.write(TEST_HELP);
} else if (wish.listsOnly) {
  const runs = selectRuns(findRuns(dist, root), selectionOf(wish));
  process.stdout.write(runs.map((run) => `${nameOf(run)}\n`).join(''));
} else {
  await run(selectionOf(wish));
}

function readOrExit(): TestArguments {
  try {
    return readArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\nsee: npm test -- --help`);
    process.exit(2);
  }
}

function selectionOf({ selection, changedOnly }: TestArguments): Selection {
  if (!changedOnly) return { ...selection, only: undefined };
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly imports: Readonly<Record<string, string>>;
  };
  const only = testsReaching(readSources(root), manifest.imports, changedFiles(root));
  return { ...selection, only };
}

async function run(selection: Selection): Promise<void> {
  const services = await Services.open();
  const stop = (): void => {
    killRunningTests();
    services.close();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  const results = await runTests({
    folder: dist,
    sourceFolder: root,
    selection,
    everyToolMustExist: process.env['CI'] === 'true',
    environment: services.environment,
    times: new TestTimes(path.join(dist, '.test-times.json')),
    write: (text) => process.stdout.write(text),
  });
  services.close();
  const failing = results.filter((result) => result.faults.length > 0);
  if (results.length === 0) console.log(`no test file matches: ${process.argv.slice(2).join(' ')}`);
  if (failing.length > 0) {
    console.log(`\n${failing.map((result) => `FAIL  ${result.file}`).join('\n')}`);
  }
  for (const { file, faultsBeside } of results) {
    if (faultsBeside !== undefined) console.log(`passed only alone: ${file}`);
  }
  console.log(summaryLine(results));
  process.exitCode = failing.length > 0 || results.length === 0 ? 1 : 0;
}
