/** Command line of `npm test`. */

import { parseArgs } from 'node:util';
import type { Part, Selection } from './test-files.ts';

export const TEST_HELP = `npm test -- [options] [words]

Runs the test files whose path contains one of the words, or all of them. Files have a tier, in their first lines:
ordinary ones are run by each 'npm test'; long ones (random faults, crashes, restarts, large values, libraries' suites, and
each repetition with other settings) by --all, in part by CI, and when a word is in their own name.

  --all            long files too, and each 'test-again'
  --part I/N       ordinary files, and the I-th of N parts of the long ones; N parts in a row are all of them
  --unit           only tests that start no server
  --changed        only tests that a change reaches by imports; changes are counted from where the branch left main
  --list           names the runs, and runs none
  --help           this text

Environment:
  TEST_SEED=N          seed of the random tests; a failure prints its own
  TEST_LIMIT_SECS=N    silence after which a test counts as hung, in seconds (default 180)
  TEST_REDIS=FILE      redis-server to compare with
  CI=true              a test that leaves itself out for want of a tool is a failure

A failed file is run again, alone; one that passes then is reported as such and does not fail the run. More:
packages/e2e/README.md.
`;

/** Wish of a command line. */
export interface TestArguments {
  readonly selection: Omit<Selection, 'only'>;
  readonly changedOnly: boolean;
  readonly listsOnly: boolean;
  readonly wantsHelp: boolean;
}

/** Reads the command line. Throws with a text for the user where it cannot be understood. */
export function readArguments(args: readonly string[]): TestArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      part: { type: 'string' },
      unit: { type: 'boolean', default: false },
      changed: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.all && values.part !== undefined)
    throw new Error('--all and --part exclude each other');
  const part = values.part === undefined ? 'none' : readPart(values.part);
  return {
    selection: { words: positionals, long: values.all ? 'all' : part, unitOnly: values.unit },
    changedOnly: values.changed,
    listsOnly: values.list,
    wantsHelp: values.help,
  };
}

function readPart(text: string): Part {
  const [, index, count] = /^(\d{1,9})\/(\d{1,3})$/.exec(text) ?? [];
  if (index === undefined || Number(count) === 0) {
    throw new Error(`--part takes I/N, such as 3/12, not '${text}'`);
  }
  return { index: Number(index) % Number(count), count: Number(count) };
}
