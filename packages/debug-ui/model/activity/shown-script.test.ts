import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunningScript, ScriptEntry } from '../api.ts';
import { shownScript } from './shown-script.ts';

const shown = suite('chosen script');

const script = { name: 'a', kind: 'script', source: 'return 1', source_bytes: 8 } as ScriptEntry;
const run = { name: 'b', kind: 'script', source: 'while true do end', line: 1 } as RunningScript;

shown('is found by its statistics, by its run, or not at all', () => {
  const documents = { scripts: [script], running: [run] };
  assert.equal(shownScript(documents, 'a'), {
    name: 'a',
    kind: 'script',
    source: 'return 1',
    sourceBytes: 8,
    line: null,
  });
  assert.equal(shownScript(documents, 'b'), {
    name: 'b',
    kind: 'script',
    source: 'while true do end',
    sourceBytes: null,
    line: 1,
  });
  assert.is(shownScript(documents, 'c'), undefined);
  assert.is(shownScript(documents, null), undefined);
});

shown('of a known script that runs has its line', () => {
  const found = shownScript({ scripts: [script], running: [{ ...run, name: 'a' }] }, 'a');
  assert.equal([found?.source, found?.line], ['return 1', 1]);
});

shown.run();
