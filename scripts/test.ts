/**
 * `npm test [words]`: every test file, or those whose path contains one of the words.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { killRunningTests, runTests, summaryLine } from './test-runner.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const words = process.argv.slice(2);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killRunningTests();
    process.exit(1);
  });
}

const results = await runTests({
  folder: dist,
  sourceFolder: path.dirname(dist),
  words,
  everyToolMustExist: process.env['CI'] === 'true',
  write: (text) => process.stdout.write(text),
});

const failing = results.filter((result) => result.faults.length > 0);
if (results.length === 0) console.log(`no test file matches: ${words.join(' ')}`);
if (failing.length > 0) {
  console.log(`\n${failing.map((result) => `FAIL  ${result.file}`).join('\n')}`);
}
for (const { file, faultsBeside } of results) {
  if (faultsBeside !== undefined) console.log(`passed only alone: ${file}`);
}
console.log(summaryLine(results));
process.exitCode = failing.length > 0 || results.length === 0 ? 1 : 0;
