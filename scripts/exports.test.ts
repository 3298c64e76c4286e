import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportFaults } from './exports.ts';

const vain = suite('exports');

/** The second file's text, and what is said then of the first, which exports `one` and `Two`. */
const cases: readonly (readonly [user: string, unused: readonly string[]])[] = [
  ['', ['one', 'Two']],
  [`import { one, type Two } from './a.ts';`, []],
  [`import {\n  one as uno,\n} from './a.ts';\nimport type { Two } from './a.ts';`, []],
  [`import { one } from './b.ts';\nconst Two = 1;`, ['one', 'Two']],
  [`// import { one, Two } from './a.ts';`, ['one', 'Two']],
  [`import * as a from './a.ts';\na.one();`, ['Two']],
  [`const { one } = await import('./a.ts');`, ['Two']],
  [`const { one: uno, Two } = await import('./a.ts');`, []],
  [`const x = (await import('./a.ts')).one;\ntype T = import('./a.ts').Two;`, []],
  [`void import('./a.ts').then(({ one }) => one());`, ['Two']],
];

for (const [text, unused] of cases) {
  vain(`finds ${unused.join() || 'nothing'} beside ${JSON.stringify(text)}`, () => {
    const files = [
      { file: 'packages/net/a.ts', text: 'export function one() {}\nexport interface Two {}\n' },
      { file: 'packages/net/c.ts', text },
    ];
    const faults = unused.map(
      (name) => `packages/net/a.ts: exports ${name}, which no other file imports`,
    );
    assert.equal(exportFaults(files, {}), faults);
  });
}

vain('finds names of an index that no package imports, and only there', () => {
  const files = [
    { file: 'packages/net/a.ts', text: 'export const one = 1;\nexport const two = 2;\n' },
    { file: 'packages/net/index.ts', text: `export { one, two as second } from './a.ts';` },
    { file: 'packages/server/b.ts', text: `import { one } from '#net';` },
  ];
  assert.equal(exportFaults(files, {}), [
    'packages/net/index.ts: exports second, which no other file imports',
  ]);
});

vain('passes over what is reached otherwise, and says when it is no more', () => {
  const files = [{ file: 'workers/a.ts', text: 'export async function run() {}\n' }];
  const otherwise = { 'workers/a.ts run': 'a pool names it' };
  assert.equal(exportFaults(files, otherwise), []);
  files[0]!.text = '';
  assert.equal(exportFaults(files, otherwise), [
    'workers/a.ts: exports run no more, or to a file that imports it',
  ]);
});

vain.run();
