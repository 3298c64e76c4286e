/** Results of each second as CSV (RFC 4180). */

import type { BenchDocument, SeriesDocument } from './bench-document.ts';

const COLUMNS: readonly (keyof SeriesDocument)[] = [
  ...(['second', 'commands', 'errors', 'bytes_in', 'bytes_out'] as const),
  ...(['p50_us', 'p99_us', 'p99.9_us', 'max_us'] as const),
];

/** Returns the file: a row for each second of each run. */
export function csvReport({ runs, servers }: BenchDocument): string {
  const rows = runs.flatMap(({ server, round, series }) =>
    series.map((point) =>
      [cell(servers[server] ?? ''), round, ...COLUMNS.map((column) => point[column])].join(','),
    ),
  );
  return [['server', 'round', ...COLUMNS].join(','), ...rows, ''].join('\r\n');
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
