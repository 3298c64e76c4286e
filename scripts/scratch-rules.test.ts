import { Linter } from 'eslint';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const rules = suite('scratch rules');

const file = path.resolve(import.meta.dirname, '../../configs/tools/scratch-rules.js');
const { scratchPlugin } = (await import(pathToFileURL(file).href)) as {
  readonly scratchPlugin: NonNullable<Linter.Config['plugins']>[string];
};

function faultsIn(code: string): readonly (string | null)[] {
  const config: Linter.Config = {
    plugins: { scratch: scratchPlugin },
    rules: { 'scratch/name': 'error', 'scratch/no-stops': 'error' },
  };
  return new Linter().verify(code, config).map(({ ruleId }) => ruleId);
}

const cases: readonly (readonly [code: string, fault: string | undefined])[] = [
  ['const id = new StreamId();', 'scratch/name'],
  ['export const id = new StreamId();', 'scratch/name'],
  ['let count = 0;', 'scratch/name'],
  ['const idScratch = new StreamId();', undefined],
  ['const LOWEST = new StreamId();', undefined],
  ['const byName = new Map();', undefined],
  ['const noSuch = new CommandError("ERR");', undefined],
  ['function f() { const id = new StreamId(); let n = 0; return [id, n]; }', undefined],
  ['async function f() { await g(idScratch); }', 'scratch/no-stops'],
  ['function* f() { yield; idScratch.clear(); }', 'scratch/no-stops'],
  ['const f = async () => { await g(); h(() => idScratch.count); };', 'scratch/no-stops'],
  ['class A { *steps() { yield; return valueScratch; } }', 'scratch/no-stops'],
  ['class A { *steps() { yield; return this.valueScratch; } }', undefined],
  ['function f() { return idScratch.count; } function* g() { f(); yield; }', undefined],
];

for (const [code, fault] of cases) {
  rules(`${fault === undefined ? 'allow' : 'refuse'}: ${code}`, () => {
    assert.equal(faultsIn(code), fault === undefined ? [] : [fault]);
  });
}

rules.run();
