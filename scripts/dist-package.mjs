/**
 * Writes dist/package.json: `imports` of the root's names the sources, for the compiler and for editors; what runs from
 * dist finds the same names here, with what was compiled behind them.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const fileOf = (name) => new URL(`../${name}`, import.meta.url);

const { type, imports } = JSON.parse(readFileSync(fileOf('package.json'), 'utf8'));
const compiled = Object.entries(imports).map(([name, source]) => [
  name,
  source.replace(/\.ts$/, '.js'),
]);
const text = `${JSON.stringify({ type, imports: Object.fromEntries(compiled) }, null, 2)}\n`;
writeFileSync(fileOf('dist/package.json'), text);
