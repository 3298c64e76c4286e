/**
 * Verdict on a test file from what its process printed and how it ended.
 *
 * uvu ends with exit code 0 when a hook throws, when `.run()` is forgotten and when nothing ran at all. A file has passed
 * only when its summary says that every test of it ran and passed.
 */

/** Result of one run of a file. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  /** Reasons why the file failed; empty when it passed. */
  readonly faults: readonly string[];
  /** Reasons why it failed beside other files, where it passed when it was run again alone. */
  readonly faultsBeside?: readonly string[];
  /** Tools whose absence made the file leave tests out. */
  readonly missingTools: readonly string[];
  readonly output: string;
  readonly durationMs: number;
}

/** Material of a verdict. */
interface FileEnd {
  readonly file: string;
  /** Faults of the process that ran it. */
  readonly processFaults: readonly string[];
  /** False when the process was ended before it could print a summary. */
  readonly couldFinish: boolean;
  readonly output: string;
  readonly durationMs: number;
  /** True when a test that leaves itself out for want of a tool is a failure. */
  readonly everyToolMustExist: boolean;
}

/** Judges a file. */
export function judge(end: FileEnd): FileResult {
  const { file, output, durationMs } = end;
  const missingTools = [...output.matchAll(/^left out: needs (\S+)$/gm)].map(([, tool]) => tool!);
  const counts = countsOf(output);
  const faults = [...end.processFaults];
  if (end.couldFinish) faults.push(...countFaults(counts, missingTools.length > 0));
  if (end.everyToolMustExist) {
    faults.push(...missingTools.map((tool) => `${tool} is not installed, and must be here`));
  }
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const unpassed = counts.reduce((sum, count) => sum + count.total - count.passed, 0);
  const failed = faults.length === 0 ? 0 : Math.max(1, unpassed);
  return { file, passed, failed, faults, missingTools, output, durationMs };
}

/** Result of a file that was not run, since its head asks for what does not exist. */
export function refused(file: string, fault: string): FileResult {
  const nothing = { passed: 0, missingTools: [], output: '', durationMs: 0 };
  return { file, failed: 1, faults: [fault], ...nothing };
}

/** The last line of a run. */
export function summaryLine(results: readonly FileResult[]): string {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  return `${passed} passed, ${failed} failed`;
}

/** Lines of a report on one file; the output only of one that failed. */
export function describe(result: FileResult): string {
  const seconds = (result.durationMs / 1000).toFixed(1);
  const leftOut = result.missingTools.map((tool) => `, left out: needs ${tool}`).join('');
  const line = `${result.passed} passed, ${seconds} s${leftOut}  ${result.file}\n`;
  if (result.faults.length === 0) return `  ok  ${line}`;
  const output = result.output.trimEnd().replaceAll(/^/gm, '      ');
  return `FAIL  ${line}${result.faults.map((fault) => `      ${fault}\n`).join('')}${output}\n`;
}

interface Counts {
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

function countsOf(output: string): Counts[] {
  const summary = /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)$/gm;
  return [...output.matchAll(summary)].map(([, total, passed, skipped]) => ({
    total: Number(total),
    passed: Number(passed),
    skipped: Number(skipped),
  }));
}

function countFaults(counts: readonly Counts[], mayBeEmpty: boolean): string[] {
  // uvu starts once per event-loop turn: a `.run()` after an `await` starts it a second time, and
  // then it loses tests of the first.
  if (counts.length > 1) return ['ran its suites in several turns; call every run() without await'];
  const count = counts[0] ?? { total: 0, passed: 0, skipped: 0 };
  if (count.total === 0) return mayBeEmpty ? [] : ['ran no test'];
  const faults: string[] = [];
  if (count.passed !== count.total) faults.push(`passed ${count.passed} of ${count.total} tests`);
  if (count.skipped > 0) faults.push(`skipped ${count.skipped} tests`);
  return faults;
}
