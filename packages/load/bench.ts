/** `svc-server bench`: measures any server of the protocol of Redis under a load. */

import { closeSync, openSync, writeFileSync } from 'node:fs';
import { readBenchOptions, type BenchOptions, type OutputFiles } from './options/bench-options.ts';
import { benchDocument, type BenchDocument } from './report/bench-document.ts';
import { csvReport } from './report/csv.ts';
import { htmlReport } from './report/html.ts';
import { textReport } from './report/text.ts';
import { runBench } from './run/bench-run.ts';
import type { SecondPoint } from './run/load-run.ts';

const EXIT_CLEAN = 0;
const EXIT_WITH_ERRORS = 1;
const EXIT_NOT_MEASURED = 2;
/** Name of standard output in place of a file. */
const STANDARD_OUTPUT = '-';

/** Runs the subcommand; returns the exit code. */
export async function bench(
  args: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const abort = new AbortController();
  const interrupt = (): void => {
    // A further signal ends the process as usual.
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    abort.abort();
  };
  try {
    const options = readBenchOptions(args);
    demandWritable(options.files);
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
    const document = await measured(options, abort.signal);
    if (document.runs.length === 0) throw new Error('interrupted before anything was measured');
    writeResults(options.files, document, print);
    return exitCode(document);
  } catch (error) {
    process.stderr.write(`svc: ${(error as Error).message}\n`);
    return EXIT_NOT_MEASURED;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

async function measured(options: BenchOptions, signal: AbortSignal): Promise<BenchDocument> {
  const note = (text: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`${text}\n`);
  };
  const { runs, failure } = await runBench(options, {
    signal,
    begins: note,
    onSecond: ({ second, commands, p50Us, p99Us }: SecondPoint) => {
      const [p50, p99] = [p50Us, p99Us].map((us) => (us / 1_000).toFixed(3));
      note(`${second + 1} s: ${commands} commands, p50 ${p50} ms, p99 ${p99} ms`);
    },
  });
  return benchDocument(options, runs, failure);
}

/** Opens the files before the load: a mistake in a path must not cost its results. */
function demandWritable({ json, csv, html }: OutputFiles): void {
  for (const file of [json === STANDARD_OUTPUT ? '' : json, csv, html]) {
    if (file !== '') closeSync(openSync(file, 'a'));
  }
}

function writeResults(
  { json, csv, html }: OutputFiles,
  document: BenchDocument,
  print: (text: string) => void,
): void {
  const text = JSON.stringify(document, null, 2);
  if (json === STANDARD_OUTPUT) print(text);
  else print(textReport(document).join('\n'));
  if (json !== '' && json !== STANDARD_OUTPUT) writeFileSync(json, `${text}\n`);
  if (csv !== '') writeFileSync(csv, csvReport(document));
  if (html !== '') writeFileSync(html, htmlReport(document));
}

function exitCode({ runs, failure }: BenchDocument): number {
  const hasFailed = runs.some(
    ({ errors, connections_lost: lost, unanswered }) => errors.total + lost + unanswered > 0,
  );
  return hasFailed || failure !== null ? EXIT_WITH_ERRORS : EXIT_CLEAN;
}
