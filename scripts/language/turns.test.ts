import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findingsIn, languageFaults, languageList } from './turns.ts';

const language = suite('language');

/** In pieces, so that no line here is such a comment. */
const those = 'Tho' + 'se';
const tells = 'tells';
const nobody = 'nobody';

const cases: readonly (readonly [text: string, found: readonly string[], file?: string])[] = [
  [`// ${tells} how many`, [tells]],
  [`/** Returns what it has of ${nobody}. */`, ['what it has', nobody]],
  [`/* The thread goes\n * on */`, ['goes on']],
  [`// The thread goes\n// on`, ['goes on']],
  [`const ${tells} = ${nobody}.${tells};`, []],
  [`// calls \`${tells}\` once`, []],
  [`const a = 'the thread goes on now';`, ['goes on']],
  [`const a = \`the thread \${b.${tells}} goes on now\`;`, ['goes on']],
  [`const a = \`the thread \${b ? \`x\` : 'y'} ends\`;\n// ${tells}`, [tells]],
  [`const a = '${nobody}';`, []],
  [`const a = 'the thread goes on now';`, [], 'packages/net/a.test.ts'],
  [`const a = 'the thread goes on now';`, [], 'packages/testkit/a.ts'],
  [`const a = 'the thread goes on now';`, [], 'scripts/a.ts'],
  [`// ${nobody}`, [nobody], 'packages/net/a.test.ts'],
  [`// ${nobody}`, [nobody], 'scripts/a.ts'],
  [`const a = /['"]/;\n// it ${tells}`, [tells]],
  [`const url = 'http://${tells}/';`, []],
  [`const a = <p>\n  The thread goes on now.\n</p>;`, ['goes on'], 'packages/net/a.tsx'],
  [`const a = <p>{x} keys of ${nobody} here</p>;`, [nobody], 'packages/net/a.tsx'],
  [`const a = <p>{${tells}}</p>;`, [], 'packages/net/a.tsx'],
  [`// written behind the reply`, ['behind the reply']],
  [`// written behind each of the brackets`, []],
  [`// the bytes behind a bracket`, []],
  [`/** Answers the sum. */`, ['Answers']],
  [`/**\n * The same with zeros.\n */`, ['The same']],
  [`// Those of a block.`, []],
  [`const a = { summary: 'Answers the time' };`, ['Answers']],
  [`const a = 'Answers';`, []],
  [`The server ${tells} all.\n\n- It goes\n  on`, [tells, 'goes on'], 'README.md'],
  [`| ${nobody} | \`${nobody}\` |`, [nobody], 'packages/net/README.md'],
  [`a \`\`x \` ${tells}\`\` b \`${tells}\nc\`, ${nobody}`, [nobody], 'CHANGELOG.md'],
  [`a \` b\n\n${tells} \` c`, [tells], 'configs/a.md'],
  [`\`\`\`sh run\necho ${tells}\n\`\`\`\n${nobody}`, [nobody], 'configs/a.md'],
  [`- a\n  ~~~~\n  ~~~\n  ${tells}\n  ~~~~\n  ${nobody}`, [nobody], 'configs/a.md'],
  [`\`\`\`\n${tells}`, [], 'configs/a.md'],
  [`[what it has](${tells}.md#${nobody})`, ['what it has'], 'configs/a.md'],
  [`the list [here](a.md) ${tells}`, [tells], 'configs/a.md'],
  [`Answers the time.`, [], 'configs/a.md'],
];

for (const [text, found, file = 'packages/net/a.ts'] of cases) {
  language(`finds ${found.length} in ${JSON.stringify(text)} of ${file}`, () => {
    assert.equal(
      findingsIn({ file, text }).map((finding) => finding.found),
      found,
    );
  });
}

const files = [
  { file: 'packages/net/a.ts', text: `// plain\n// ${tells}, and ${nobody}` },
  { file: 'packages/net/b.ts', text: `/** ${those} of a block. */` },
  { file: 'workers/a.ts', text: `// ${nobody}` },
];

language('counts allowances in both directions', () => {
  assert.equal(languageFaults(files, { net: [2, 1], workers: [1, 0] }), []);
  for (const net of [
    [1, 1],
    [3, 1],
    [2, 0],
    [2, 2],
  ] as const) {
    const faults = languageFaults(files, { net, workers: [1, 0] });
    assert.is(faults.length, 1);
    assert.match(faults[0]!, 'net: has 2 turns and 1 openings');
  }
  assert.match(languageFaults([], { net: [1, 0] }).join('\n'), 'net: has 0 turns');
});

language('counts a document with its package, or with its top folder or name', () => {
  for (const [file, name] of [
    ['packages/net/README.md', 'net'],
    ['packages/README.md', 'packages'],
    ['configs/reference/a.md', 'configs'],
    ['README.md', 'README.md'],
  ] as const) {
    const faults = languageFaults([{ file, text: `It ${tells} of ${nobody}.` }], {});
    assert.is(faults.length, 1);
    assert.match(faults[0]!, `${name}: has 2 turns and 0 openings`);
  }
});

language('lists findings with their lines', () => {
  assert.equal(languageList(files, ['net/a']), [
    `packages/net/a.ts:2: '${tells}' in: // ${tells}, and ${nobody}`,
    `packages/net/a.ts:2: '${nobody}' in: // ${tells}, and ${nobody}`,
  ]);
  assert.is(languageList(files, []).length, 4);
});

language.run();
