/** Figures of the house: what `npm run tidy -- --figures` prints, and what a change of structure is judged by. */
import { circlesOf } from './circles.ts';
import { exportFaults } from './exports.ts';
import { folderCircles } from './folders.ts';
import { type SourceFile } from './source-files.ts';
import { FOLDER_FILES_MAX, folderCounts, opensWithoutSubject } from './tidiness.ts';

/** One line for each figure. */
export function figures(files: readonly SourceFile[]): string[] {
  const lengths = files.map(({ text }) => text.split('\n').length - 1).sort((a, b) => a - b);
  const at = (share: number): number => lengths[Math.floor(share * (lengths.length - 1))] ?? 0;
  const large = [...folderCounts(files)].filter(([, count]) => count > FOLDER_FILES_MAX);
  const comments = files.reduce((sum, { text }) => sum + opensWithoutSubject(text).length, 0);
  const circled = [...folderCircles(files)];
  return [
    `files: ${files.length}, of ${at(0.5)} lines in the median, 90 % of at most ${at(0.9)}`,
    `folders over ${FOLDER_FILES_MAX} files: ${large.map(([name, count]) => `${name} ${count}`).join(', ') || 'none'}`,
    `circles of imports: ${circlesOf(files).length}`,
    `folders in circles: ${circled.map(([name, { circles, pairs }]) => `${name} ${circles.flat().length} (${pairs.length} pairs)`).join(', ') || 'none'}`,
    `exports that no other file imports: ${exportFaults(files).length}`,
    `comments that begin with a question word or a preposition: ${comments}`,
  ];
}
