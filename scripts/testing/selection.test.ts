/** Choice of test files, the command line that makes it, and how many run at a time. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { testsReaching } from './changed-tests.ts';
import { Lanes } from './lanes.ts';
import { endLine, partsOf, startLine } from './shared-output.ts';
import { readArguments } from './test-arguments.ts';
import { nameOf, ORDINARY, selectRuns, type Selection, type TestRun } from './test-files.ts';
import { readHead } from './test-head.ts';

const selection = suite('selection of tests');

function runOf(file: string, { isLong = false, variables = '' } = {}): TestRun {
  const isUnit = !file.includes('e2e');
  return { file, variables, head: readHead(''), isLong, isUnit, sourceBytes: 100 };
}

const runs = [
  runOf('packages/base/bytes.test.js'),
  runOf('packages/e2e/clients/client.test.js'),
  runOf('packages/e2e/clients/client.test.js', { isLong: true, variables: 'TEST_TLS=1' }),
  runOf('packages/e2e/clients/storm.test.js', { isLong: true }),
];

function chosen(wish: Partial<Selection>): string[] {
  return selectRuns(runs, { ...ORDINARY, ...wish }).map(nameOf);
}

const [unit, client, clientTls, storm] = runs.map(nameOf) as [string, string, string, string];

const cases: readonly (readonly [what: string, wish: Partial<Selection>, names: string[]])[] = [
  ['ordinary files by default', {}, [unit, client]],
  ['everything', { long: 'all' }, [unit, client, clientTls, storm]],
  ['unit files', { unitOnly: true }, [unit]],
  ['files of a folder, ordinary ones', { words: ['e2e/clients'] }, [client]],
  ['a long file by its own name', { words: ['clients/storm'] }, [storm]],
  ['a folder, long ones too', { words: ['clients/'], long: 'all' }, [client, clientTls, storm]],
  ['files of a set', { only: new Set(['packages/base/bytes.test.ts']) }, [unit]],
];

for (const [what, wish, names] of cases) {
  selection(`takes ${what}`, () => assert.equal(chosen(wish), names));
}

selection('has each long run in exactly one of the parts', () => {
  const many = Array.from({ length: 200 }, (_, nth) =>
    runOf(`e2e/${nth}.test.js`, { isLong: true }),
  );
  const parts = Array.from({ length: 12 }, (_, index) =>
    selectRuns(many, { ...ORDINARY, long: { index, count: 12 } }),
  );
  assert.equal(parts.flat().map(nameOf).sort(), many.map(nameOf).sort());
  for (const part of parts) assert.ok(part.length > 4 && part.length < 40, String(part.length));
});

selection('reads the command line', () => {
  const { selection: wish, changedOnly } = readArguments(['--part', '25/12', '--unit', 'store']);
  assert.equal(wish, { words: ['store'], long: { index: 1, count: 12 }, unitOnly: true });
  assert.is(changedOnly, false);
  assert.is(readArguments(['--all']).selection.long, 'all');
});

for (const args of [['--part', '3'], ['--part', '1/0'], ['--all', '--part', '1/2'], ['--fast']]) {
  selection(`refuses ${args.join(' ')}`, () => assert.throws(() => readArguments(args)));
}

selection('finds the tests that a change reaches, through packages and files', () => {
  const file = (name: string, text = ''): { file: string; text: string } => ({ file: name, text });
  const sources = [
    file('packages/base/index.ts', "export { a } from './a.ts';\n"),
    file('packages/base/a.ts'),
    file('packages/base/b.ts'),
    file('packages/base/b.test.ts', "import { b } from './b.ts';\n"),
    file('packages/store/c.ts', "import { a } from '#base';\n"),
    file('packages/store/c.test.ts', "import { c } from './c.ts';\n"),
  ];
  const packages = { '#base': './packages/base/index.ts' };
  const reached = (name: string): string[] => [
    ...testsReaching(sources, packages, new Set([name])),
  ];
  assert.equal(reached('packages/base/a.ts'), ['packages/store/c.test.ts']);
  assert.equal(reached('packages/base/b.ts'), ['packages/base/b.test.ts']);
  assert.equal(reached('packages/store/c.test.ts'), ['packages/store/c.test.ts']);
});

selection('parts the output of a shared process', () => {
  const output =
    startLine('a.test.js') +
    'one\n' +
    endLine('a.test.js', 0, 12.4) +
    startLine('b.test.js') +
    'tw';
  const [one, two] = partsOf(output);
  assert.equal([one?.file, one?.exitCode, one?.durationMs], ['a.test.js', 0, 12]);
  assert.match(one?.output ?? '', /^one$/m);
  assert.equal([two?.file, two?.exitCode, two?.output], ['b.test.js', undefined, 'tw']);
});

selection('starts one process more for each window in which processors were idle', () => {
  let nowMs = 0;
  let idleMs = 0;
  const processorTimes = (): { idleMs: number; allMs: number } => ({ idleMs, allMs: 2 * nowMs });
  const lanes = new Lanes({
    cores: 2,
    processorTimes,
    nowMs: () => nowMs,
    freeBytes: () => 2 ** 40,
  });
  assert.equal([lanes.admits(0), lanes.admits(1), lanes.admits(2)], [true, true, true]);
  nowMs += 1_000;
  assert.is(lanes.admits(3), false, 'processors were busy');
  idleMs += 1_000;
  nowMs += 1_000;
  assert.equal([lanes.admits(3), lanes.admits(4)], [true, false], 'half of the time was idle');
  idleMs += 1_000;
  nowMs += 1_000;
  assert.is(lanes.admits(12), false, 'six a core are the most');
});

selection.run();
