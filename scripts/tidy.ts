/**
 * `npm run tidy`: layers of packages and of folders, sizes of classes, seams, leftovers, tests that do not run, dead files and
 * exports, names in READMEs, turns of phrase. With `--figures`: sizes and dependencies of the sources; with `--language
 * [words]`: the turns of phrase that are counted, in files whose path contains one of the words.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportFaults } from './exports.ts';
import { figures } from './figures.ts';
import { folderFaults } from './folders.ts';
import { languageFaults, languageList } from './language/turns.ts';
import { layerFaults } from './layers.ts';
import { classFaults } from './rules/classes.ts';
import { readDocuments, readPaths, readReadmes, readSources } from './source-files.ts';
import { documentFaults, tidyFaults } from './tidiness.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const files = readSources(root);
const texts = [...files, ...readDocuments(root)];
const documents = {
  readmes: readReadmes(root),
  files: readPaths(root),
  manifest: readFileSync(path.join(root, 'package.json'), 'utf8'),
};
const faults = [
  ...layerFaults(files),
  ...folderFaults(files),
  ...languageFaults(texts),
  ...classFaults(files),
  ...tidyFaults(files),
  ...exportFaults(files),
  ...documentFaults(documents),
];
if (process.argv.includes('--figures')) for (const line of figures(files)) console.log(line);
const wanted = process.argv.indexOf('--language');
if (wanted >= 0) {
  for (const line of languageList(texts, process.argv.slice(wanted + 1))) console.log(line);
}
for (const fault of faults) console.log(fault);
console.log(`${files.length} files, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
