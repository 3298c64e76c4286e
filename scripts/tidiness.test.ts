import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { layerFaults } from './layers.ts';
import { importsOf } from './source-files.ts';
import { documentFaults, FOLDER_FILES_MAX, tidyFaults } from './tidiness.ts';

const tidiness = suite('tidiness');

const only = '.only' + '(';
const mark = 'TO' + 'DO';
const disable = '// eslint-' + 'disable-next-line complexity';
const run = `const s = suite('s');\ns.run();\n`;

const layerCases: readonly (readonly [file: string, text: string, fault: string | null])[] = [
  ['packages/net/a.ts', `import { x } from '#base';`, null],
  ['packages/net/a.ts', `import { x } from '#commands';`, 'may not import #commands'],
  ['packages/net/a.ts', `import type { X } from '#commands';`, 'may not import #commands'],
  ['packages/net/a.ts', `import {\n  x,\n  y,\n} from '#store';`, 'may not import #store'],
  ['packages/net/a.ts', `export { x } from '#store';`, 'may not import #store'],
  ['packages/net/a.ts', `const x = await import('#store');`, 'may not import #store'],
  ['packages/net/a.ts', `import 'winston';`, 'may not import winston'],
  ['packages/telemetry/a.ts', `import winston from 'winston';`, null],
  ['packages/telemetry/a.ts', `import x from '@opentelemetry/api';`, null],
  ['packages/commands/a.ts', `import type { X } from '#resp';`, null],
  ['packages/commands/a.ts', `import { x } from '#resp';`, 'may not import #resp'],
  ['packages/net/a.ts', `import { x } from '../base/bytes.ts';`, 'may not import ../base/bytes.ts'],
  ['packages/net/b/a.ts', `import { x } from '../c.ts';`, null],
  ['packages/net/a.test.ts', `import { x } from '#testkit';\nimport 'uvu';`, null],
  ['packages/net/a.test.ts', `import { x } from '#store';`, 'may not import #store'],
  ['packages/nowhere/a.ts', ``, 'the package nowhere has no row in layers.ts'],
  ['workers/shard.ts', `import type { X } from '#config';`, null],
  ['workers/shard.ts', `import { x } from '#config';`, 'may not import #config'],
  [
    'packages/net/a.ts',
    `const x = Date.now();`,
    'a clock (Date.now) belongs to packages/base/time/clock.ts',
  ],
  ['packages/net/a.ts', `// Date.now() is not for us\n/* nor\n Atomics */`, null],
  ['packages/net/a.test.ts', `const x = Date.now();`, null],
  ['packages/net/a.ts', `const x = process.env['A'];`, 'the environment'],
  ['packages/shard/a.ts', `Atomics.wait(a, 0, 0);`, 'shared memory (Atomics)'],
  ['packages/router/a.ts', `import net from 'node:net';`, 'sockets'],
  ['packages/server/a.ts', `new Worker(url);`, 'a new thread'],
  ['packages/store/a.ts', `throw fixed('ERR no');`, 'the text of an error reply'],
  ['packages/store/a.test.ts', `assert.is(x, 'ERR no');`, null],
  ['packages/store/a.test.ts', `console.log(1);`, 'the console'],
  ['packages/net/a.ts', `import { x } from './a.test.ts';`, 'may not import ./a.test.ts'],
  [
    'packages/net/a.ts',
    `export { x } from './b.test-helper.ts';`,
    'may not import ./b.test-helper',
  ],
  ['packages/net/a.ts', `import { x } from '#testkit';`, 'may not import #testkit'],
  ['packages/net/a.test.ts', `import { x } from './b.test-helper.ts';`, null],
  ['packages/net/b.test-helper.ts', `import { x } from '#testkit';\nDate.now();`, null],
  ['scripts/a.ts', `console.log(Date.now());`, null],
];

for (const [file, text, fault] of layerCases) {
  tidiness(`${fault === null ? 'allows' : 'finds'} ${JSON.stringify(text)} in ${file}`, () => {
    const faults = layerFaults([{ file, text }], {});
    if (fault === null) assert.equal(faults, []);
    else assert.match(faults.join('\n'), fault);
  });
}

const first = '/** The first. */';
const second = '/** The second. */';
const commentCases: readonly (readonly [text: string, fault: string | null])[] = [
  [`${first}\n\n${second}\nconst a = 1;`, null],
  [`#!/usr/bin/env node\n${first}\n\nconst a = 1;`, null],
  [`${first}\n`, null],
  [`const a = 1;\n${first}\nconst b = 1;`, null],
  [`const a = { ${first} b: 1 };`, null],
  [`const a = '${first}';\n\nconst b = 1;`, null],
  [`const a = \`\n${first}\n${second}\n\`;`, null],
  [`// ${first}\n// ${second}\n\nconst b = 1;`, null],
  [`const a = 1;\n/* a remark */\n\nconst b = 1;`, null],
  [`${first}\n${second}\nconst a = 1;`, `before another one: ${first}`],
  [`class A {\n  ${first}\n  ${second}\n  a = 1;\n}`, `before another one: ${first}`],
  [`const a = 1;\n${first}\n\n${second}\nconst b = 1;`, `before another one: ${first}`],
  [`const a = 1;\n${first}\n\nconst b = 1;`, `before a blank line: ${first}`],
  [`class A {\n  a = 1;\n  ${second}\n}`, `before nothing: ${second}`],
  [`const a = 1;\n${second}\n`, `before nothing: ${second}`],
  [`const a = 1;\n/**\n * Long.\n */\n${first}\nconst b = 1;`, 'before another one: /**'],
];

for (const [text, fault] of commentCases) {
  tidiness(`${fault === null ? 'allows' : 'finds'} doc comments in ${JSON.stringify(text)}`, () => {
    const faults = tidyFaults([{ file: 'scripts/a.ts', text }]);
    if (fault === null) assert.equal(faults, []);
    else assert.match(faults.join('\n'), `has a doc comment ${fault}`);
  });
}

tidiness('counts exemptions in both directions', () => {
  const files = [{ file: 'packages/net/a.ts', text: 'Date.now(); Date.now();' }];
  assert.equal(layerFaults(files, { 'packages/net/a.ts': [2, 'a reason'] }), []);
  assert.is(layerFaults(files, { 'packages/net/a.ts': [3, 'a reason'] }).length, 3);
  assert.is(layerFaults(files, { 'packages/net/a.ts': [1, 'a reason'] }).length, 3);
  assert.match(layerFaults([], { 'packages/net/b.ts': [1, 'gone'] }).join('\n'), 'does not exist');
});

tidiness('finds circles of imports, by types too', () => {
  const files = [
    { file: 'packages/net/a.ts', text: `import { b } from './b.ts';` },
    { file: 'packages/net/b.ts', text: `export { c } from './deep/c.ts';` },
    { file: 'packages/net/deep/c.ts', text: `import type { A } from '../a.ts';` },
    { file: 'packages/net/d.ts', text: `import { b } from './b.ts';` },
  ];
  assert.equal(layerFaults(files, {}), [
    'packages/net/a.ts, packages/net/b.ts, packages/net/deep/c.ts: import each other in a circle',
  ]);
  files[2]!.text = `import { x } from '#base';`;
  assert.equal(layerFaults(files, {}), []);
});

/** In pieces, so that nothing here is such a pause. */
const timer = 'set' + 'Timeout';
/** In pieces, so that no line here is such a comment. */
const doc = '/' + '**';
const help = (text: string): string => `const help = ['GET', '${text}'];`;

const tidyCases: readonly (readonly [file: string, text: string, fault: string | null])[] = [
  ['packages/net/index.ts', 'export {};\n'.repeat(700), null],
  ['packages/net/a.test.ts', `${run}${'// line\n'.repeat(900)}`, null],
  ['packages/net/index.ts', `// ${mark} later\n`, `has a ${mark}`],
  ['packages/net/a.ts', '', 'nothing imports it'],
  ['packages/server/main.ts', '', null],
  ['scripts/Some_Thing.ts', '', 'kebab-case'],
  ['scripts/a.ts', `${doc} What it does. */\n`, 'cannot be read alone'],
  ['scripts/a.ts', `${doc}\n * Of a kind.\n */\n`, 'cannot be read alone'],
  ['scripts/a.ts', `${doc} Bytes of a kind. */\n`, null],
  ['packages/http/index.ts', help('What it does.'), 'has a sentence for users'],
  ['packages/http/index.ts', help('Whether it is on.'), 'has a sentence for users'],
  ['packages/http/index.ts', help('Says what it does.'), null],
  ['packages/http/index.ts', `// ${help('What it does.')}`, null],
  ['packages/router/index.ts', help('What it does.'), null],
  ['scripts/a.threads.test.ts', run, null],
  ['scripts/a.ts', `${disable}\n`, 'without a reason'],
  ['scripts/a.ts', `${disable} -- it is a table\n`, null],
  ['scripts/a.test.ts', `const s = suite('s');\n`, 'never runs its suite s'],
  ['scripts/a.test.ts', `const s = suite('s');\n// s.run()\n`, 'never runs its suite s'],
  ['scripts/a.test.ts', `const s = suite('s');\nconst t = 's.run()';\n`, 'never runs its suite s'],
  ['scripts/a.test.ts', `${run}s${only}'x', f);\n`, 'runs only some'],
  ['scripts/a.test.ts', ``, 'has no suite'],
  ['scripts/a.test.ts', `${run}await new Promise((done) => ${timer}(done, 9));`, 'fixed time'],
  ['scripts/a.test.ts', `${run}new Promise<void>((r) => {\n  ${timer}(r, 9);\n});`, 'fixed time'],
  ['scripts/a.test.ts', `import { ${timer} as s } from 'node:timers/promises';`, 'fixed time'],
  ['scripts/a.test.ts', `${run}const limit = ${timer}(() => child.kill(), 9);`, null],
  ['scripts/a.test.ts', `${run}const code = 'new Promise((r) => ${timer}(r, 9))';`, null],
  ['packages/e2e/index.ts', `await new Promise((r) => ${timer}(r, 9));`, 'fixed time'],
  ['packages/net/index.ts', `await new Promise((r) => ${timer}(r, 9));`, null],
];

for (const [file, text, fault] of tidyCases) {
  tidiness(
    `${fault === null ? 'allows' : 'finds'} in ${file}: ${JSON.stringify(text.slice(0, 60))}`,
    () => {
      const faults = tidyFaults([{ file, text }]);
      if (fault === null) assert.equal(faults, []);
      else assert.match(faults.join('\n'), fault);
    },
  );
}

tidiness('finds folders that want rooms', () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({ file: `scripts/a${nth}.ts`, text: '' }));
  assert.equal(tidyFaults(files(FOLDER_FILES_MAX)), []);
  const tooMany = FOLDER_FILES_MAX + 1;
  assert.match(tidyFaults(files(tooMany)).join(), `scripts: has ${tooMany} files`);
});

tidiness(
  'counts a file imported by another as alive, and one that only tests import as theirs',
  () => {
    const own = { file: 'packages/net/a.test.ts', text: `import { a } from './a.ts';\n${run}` };
    const files = [{ file: 'packages/net/a.ts', text: '' }, own];
    assert.equal(
      tidyFaults([...files, { file: 'packages/net/index.ts', text: `import './a.ts';` }]),
      [],
    );
    assert.equal(tidyFaults(files), [
      'packages/net/a.ts: only tests import it: it is dead, or a .test-helper.ts',
    ]);
    own.text = `import { a } from './a.test-helper.ts';\n${run}`;
    assert.equal(tidyFaults([{ file: 'packages/net/a.test-helper.ts', text: '' }, own]), []);
  },
);

tidiness('reads imports as they are written', () => {
  const text = `import a, { b } from 'x';\nimport type { C } from './c.ts';\nexport { type D } from '#d';\n`;
  assert.equal(importsOf({ file: 'a.ts', text }), [
    { target: 'x', isType: false },
    { target: './c.ts', isType: true },
    { target: '#d', isType: false },
  ]);
});

const MANIFEST = '{ "imports": { "#net": "./packages/net/index.ts" } }';
const paths = [
  'packages/net/index.ts',
  'packages/net/in/a.ts',
  'packages/link/memory.wat',
  'scripts/b.mjs',
];
const packageMap = '| `net` | sockets |\n| [`link`](link/README.md) | rings |\n';

const documentCases: readonly (readonly [text: string, fault: string | null])[] = [
  ['`in/a.ts`, `net/in/a.ts`, `packages/net/in/a.ts`, `a.ts`, `scripts/b.mjs`', null],
  ['`link/memory.wat` and [`memory.wat`](../link/memory.wat)', null],
  ['`a*.ts`, `<group>.ts`, a.b.ts in prose, `dist/x.js`, `JSON.c_str`', null],
  ['`out/a.ts`', 'names out/a.ts, which does not exist'],
  ['see `old.ts`', 'names old.ts'],
  ['`n/a.ts`', 'names n/a.ts'],
  ['    in/a.ts   here\n    in/old.tsx   gone\n', 'names in/old.tsx'],
  ['```\nin/old.c\n```\n', 'names in/old.c'],
];

for (const [text, fault] of documentCases) {
  tidiness(`${fault === null ? 'allows' : 'finds'} in a README: ${JSON.stringify(text)}`, () => {
    const readmes = [
      { file: 'packages/README.md', text: packageMap },
      { file: 'packages/net/README.md', text },
    ];
    const faults = documentFaults({ readmes, files: paths, manifest: MANIFEST });
    if (fault === null) assert.equal(faults, []);
    else assert.match(faults.join('\n'), fault);
  });
}

tidiness('finds packages that the map lacks', () => {
  const readmes = [{ file: 'packages/README.md', text: '| `net` | beside link |\n' }];
  assert.equal(documentFaults({ readmes, files: paths, manifest: MANIFEST }), [
    'packages/README.md: the map lacks the package link',
  ]);
});

tidiness('finds imports without a package, and those that are there twice', () => {
  const readmes = [{ file: 'packages/README.md', text: packageMap }];
  const manifest =
    '{ "imports": { "#acl": "./packages/acl/index.ts", "#net": "./packages/net/index.ts", "#net": "./packages/net/index.ts" } }';
  assert.equal(documentFaults({ readmes, files: paths, manifest }), [
    'package.json: #acl leads to ./packages/acl/index.ts, which does not exist',
    'package.json: #net is there twice',
  ]);
});

tidiness.run();
