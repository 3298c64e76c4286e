/** Results of `bench` as text for a terminal. */

import type {
  BenchDocument,
  ComparedFigures,
  LatencyDocument,
  RunDocument,
} from './bench-document.ts';

const SHOWN_COLUMNS = ['p50', 'p90', 'p99', 'p99.9', 'p99.99', 'max'] as const;
const NAME_CHARS_MAX = 40;

/** Returns all lines. */
export function textReport(document: BenchDocument): string[] {
  const { options, runs, comparison, failure } = document;
  const shown = Object.entries(options).map(
    ([name, value]) => `${name} ${shownText(String(value))}`,
  );
  return [
    `Load: ${shown.join(', ')}`,
    ...runs.flatMap((run) => ['', ...runLines(run, document)]),
    ...(comparison === null ? [] : ['', ...comparisonLines(document.servers, comparison)]),
    ...(failure === null ? [] : ['', `The rest was not measured: ${shownText(failure)}`]),
  ];
}

function runLines(run: RunDocument, { servers, runs }: BenchDocument): string[] {
  const names = [...new Set(run.nodes.map(({ server }) => server))].join(', ');
  const round = runs.length > 1 ? `, round ${run.round}` : '';
  const loss = run.interrupted ? ', interrupted' : '';
  return [
    shownText(`${servers[run.server] ?? ''} (${names})${round}${loss}:`),
    `  ${count(run.commands_per_sec)} commands per second: ${count(run.commands)} in ${run.seconds.toFixed(2)} s, ${rate(run.bytes_in, run)} in, ${rate(run.bytes_out, run)} out`,
    ...errorLines(run),
    '',
    ...latencyTable(run),
    ...serverLines(run),
    ...phaseLines(run),
    ...(run.warnings.length > 0
      ? ['', ...run.warnings.map((text) => `  WARNING: ${shownText(text)}`)]
      : []),
  ];
}

function errorLines({ errors, redirects, warmup_commands: warmup }: RunDocument): string[] {
  const lines: string[] = [];
  if (warmup > 0) lines.push(`  ${count(warmup)} commands before, in the warm-up`);
  if (errors.total > 0) {
    const codes = Object.entries(errors.by_code).map(
      ([code, n]) => `${shownText(code)} ${count(n)}`,
    );
    lines.push(`  ${count(errors.total)} errors: ${codes.join(', ')}`);
  }
  const { moved, ask } = redirects;
  if (moved + ask > 0) lines.push(`  ${count(moved)} MOVED and ${count(ask)} ASK followed`);
  return lines;
}

function latencyTable(run: RunDocument): string[] {
  const row = (
    name: string,
    commands: number,
    latency: LatencyDocument,
    executionUs: number | null,
  ): string[] => [
    shownText(name, NAME_CHARS_MAX),
    count(commands),
    ...SHOWN_COLUMNS.map((column) => milliseconds(latency[column])),
    executionUs === null ? '-' : milliseconds(executionUs),
  ];
  const commands = Object.entries(run.by_command);
  return table([
    ['latency, ms', 'commands', ...SHOWN_COLUMNS, 'executed in'],
    ...commands.map(([name, each]) => row(name, each.commands, each.latency_us, each.execution_us)),
    ...(commands.length > 1 ? [row('all', run.commands, run.latency_us, null)] : []),
  ]);
}

function serverLines(run: RunDocument): string[] {
  const lines: string[] = [];
  for (const node of run.nodes) {
    const title = run.nodes.length > 1 ? `Server ${shownText(node.address)}` : 'Server';
    const cpu = node.cpu_us_per_command;
    if (cpu !== null) {
      const threads = node.threads.map(
        ({ name, cpu_us: us }) => `${name} ${perCommand(us, node.commands)}`,
      );
      const detail = threads.length > 0 ? ` (${threads.join(', ')})` : '';
      lines.push(`  ${title}: ${cpu.toFixed(2)} us of processor time per command${detail}`);
    }
    for (const reason of node.missing) lines.push(`  ${title}, missing: ${shownText(reason)}`);
    lines.push(...shardLines(node.shards));
  }
  return lines.length > 0 ? ['', ...lines] : [];
}

function perCommand(us: number, commands: number | null): string {
  return commands === null || commands === 0 ? '-' : (us / commands).toFixed(2);
}

function shardLines(shards: RunDocument['nodes'][number]['shards']): string[] {
  const [first] = shards;
  if (first === undefined) return [];
  const labels = Object.keys(first.bands);
  const hasBands = shards.some(({ bands }) => Object.values(bands).some((n) => n > 0));
  const rows = shards.map(({ shard, commands, bands }) => [
    `shard ${shard}`,
    count(commands),
    ...(hasBands ? labels.map((label) => count(bands[label] ?? 0)) : []),
  ]);
  return [
    ...table([['', 'commands', ...(hasBands ? labels : [])], ...rows]),
    ...(hasBands ? [] : ['  Bands are off; CONFIG SET latency-bands-enabled yes counts them.']),
  ];
}

function phaseLines({ phases }: RunDocument): string[] {
  if (phases.length === 0) return [];
  const rows = phases.map(({ phase, of, count: n, mean_us: mean, p99_within_us: p99 }) => [
    shownText(of === '' ? phase : `${phase}, ${of}`),
    count(n),
    mean.toFixed(1),
    p99 === null ? 'more' : p99.toFixed(0),
  ]);
  return ['', ...table([['phase inside of svc, us', 'commands', 'mean', 'p99 within'], ...rows])];
}

const COMPARED: readonly (readonly [keyof ComparedFigures, string])[] = [
  ['commands_per_sec', 'commands per second'],
  ['p50_us', 'p50, us'],
  ['p99_us', 'p99, us'],
  ['p99.9_us', 'p99.9, us'],
  ['cpu_us_per_command', 'server CPU per command, us'],
];

function comparisonLines(
  servers: readonly string[],
  { medians, ratios }: NonNullable<BenchDocument['comparison']>,
): string[] {
  const number = (value: number | null | undefined): string =>
    value === null || value === undefined ? '-' : value.toFixed(value < 1_000 ? 2 : 0);
  return table([
    ['median of rounds', ...servers.map((text) => shownText(text)), 'ratio'],
    ...COMPARED.map(([key, name]) => [
      name,
      ...medians.map((figures) => number(figures[key])),
      number(ratios[key]),
    ]),
  ]);
}

/** Text without control characters, so that nothing from a server can change a terminal. */
function shownText(text: string, charsMax = Infinity): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
  return clean.length > charsMax ? `${clean.slice(0, charsMax - 3)}...` : clean;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function rate(bytes: number, { seconds }: RunDocument): string {
  return `${(seconds > 0 ? bytes / seconds / 1_000_000 : 0).toFixed(1)} MB/s`;
}

function milliseconds(us: number): string {
  return (us / 1_000).toFixed(3);
}

/** Rows as lines: the first column begins at the left, the others end at the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [nth, text] of row.entries()) widths[nth] = Math.max(widths[nth] ?? 0, text.length);
  }
  return rows.map((row) => {
    const cells = row.map((text, nth) =>
      nth === 0 ? text.padEnd(widths[nth]!) : text.padStart(widths[nth]!),
    );
    return `  ${cells.join('  ').trimEnd()}`;
  });
}
