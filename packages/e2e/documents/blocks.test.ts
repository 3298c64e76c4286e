/** Each block of commands in a document is run by a test, or says why it is not. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allDocuments, readBlocks, readDocument } from './blocks.ts';

const documents = suite('blocks of documents');

documents('each block of commands is run, or says why not', () => {
  const wrong = allDocuments().flatMap((file) => {
    const { blocks, strayLines } = readBlocks(readDocument(file));
    const undecided = blocks.filter(({ mode }) => mode !== 'run' && !/^skip: \S/.test(mode));
    return [
      ...undecided.map(({ line }) => `${file}:${line} is neither "sh run" nor "sh skip: REASON"`),
      ...strayLines.map((line) => `${file}:${line} is a command in no fenced block of sh`),
    ];
  });
  assert.equal(wrong, []);
});

documents('a block without a mode and a command outside of blocks are found', () => {
  const { blocks, strayLines } = readBlocks(
    'a\n```sh run\nls\n```\n    redis-cli PING\n```ts\nx\n```\n',
  );
  assert.equal(blocks, [{ language: 'sh', mode: 'run', line: 2, lines: ['ls'] }]);
  assert.equal(strayLines, [5]);
});

documents.run();
