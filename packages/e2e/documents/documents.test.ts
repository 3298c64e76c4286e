/** Commands in documents work when they are typed. */
// test-tier: long

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '#testkit';
import { allDocuments, readBlocks, readDocument, stepsOf } from './blocks.ts';
import { DocumentShell } from './document-shell.ts';

const documents = suite('documents');

documents('a shell reports a command that fails, and a reply that is an error', async () => {
  const shell = await DocumentShell.open();
  try {
    for (const script of ['false', 'redis-cli NO-SUCH-COMMAND']) {
      let message = '';
      await shell.run(script).catch((error: unknown) => {
        ({ message } = error as Error);
      });
      assert.match(message, /^exit code 1/);
    }
    await shell.run('redis-cli PING');
  } finally {
    await shell.close();
  }
});

for (const file of allDocuments()) {
  const runnable = readBlocks(readDocument(file)).blocks.filter(({ mode }) => mode === 'run');
  if (runnable.length === 0) continue;
  documents(`${file}: its commands work`, async () => {
    const shell = await DocumentShell.open();
    try {
      for (const step of runnable.flatMap((block) => stepsOf(block))) {
        if (step.kind === 'start') await shell.start(step.command);
        else await shell.run(step.script);
      }
    } finally {
      await shell.close();
    }
  });
}

const PROGRAMS = ['bash', 'redis-cli', 'redis-benchmark', 'curl', 'openssl'];
if (PROGRAMS.every((program) => needs(program))) documents.run();
