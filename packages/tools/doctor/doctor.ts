/** `svc-server doctor`: asks a server over its own protocol for its health, what limits it and what is slow. */

import { readSubcommand } from '#config';
import { columns, durationText, shown, sizeText } from '../text/columns.ts';
import { healthLines } from '../text/health-lines.ts';
import { readPlace } from '../text/server-place.ts';
import {
  askServer,
  type DoctorReport,
  type SlowCommand,
  type WaitingOutput,
} from './ask-server.ts';

/** Time for all questions together, in milliseconds. */
const ASK_MS_MAX = 15_000;
const COMMAND_CHARS_MAX = 80;

const EXIT_HEALTHY = 0;
const EXIT_DEGRADED = 1;
const EXIT_NOT_ASKED = 2;

/** Runs the subcommand; returns the exit code. */
export async function doctor(
  args: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  let given: ReturnType<typeof readSubcommand>;
  let report: DoctorReport;
  try {
    given = readSubcommand('doctor', args);
    report = await askServer(readPlace(given), ASK_MS_MAX);
  } catch (error) {
    // An exit code of 1 stands for a server that has replied.
    process.stderr.write(`svc: ${(error as Error).message}\n`);
    return EXIT_NOT_ASKED;
  }
  print(given.has('json') ? JSON.stringify(report, null, 2) : doctorLines(report).join('\n'));
  return report.status.health.status === 'healthy' ? EXIT_HEALTHY : EXIT_DEGRADED;
}

/** Returns a report as lines of text. */
function doctorLines(report: DoctorReport): string[] {
  const { frogdb, health, memory, clients, keyspace } = report.status;
  const { version, uptime_secs: uptime } = frogdb;
  return [
    `svc ${version} at ${report.address}, up ${uptime} s, ${keyspace.total_keys} keys, ${clients.connected} clients, ${sizeText(memory.used_bytes)} of data`,
    '',
    ...healthLines(health),
    ...section('Latency doctor', report.latency_doctor?.trimEnd().split('\n')),
    ...section('Slowest commands in the slow log', report.slowest?.map(slowRow), true),
    ...section('Clients with much unsent output', report.outputs?.map(outputRow), true),
    ...(report.missing.length > 0 ? ['', 'Missing:'] : []),
    ...report.missing.map((reason) => `  ${reason}`),
  ];
}

function section(
  title: string,
  rows: readonly (string | readonly string[])[] | undefined,
  isTable = false,
): string[] {
  if (rows === undefined) return [];
  if (rows.length === 0) return ['', `${title}: none`];
  const lines = isTable
    ? columns(rows as readonly (readonly string[])[])
    : rows.map((line) => `  ${String(line)}`.trimEnd());
  return ['', `${title}:`, ...lines];
}

function slowRow({ duration_us: us, time_secs: secs, command, client }: SlowCommand): string[] {
  return [
    durationText(us),
    new Date(secs * 1_000).toISOString().slice(0, 19),
    client,
    shown(command.join(' '), COMMAND_CHARS_MAX),
  ];
}

function outputRow({ id, addr, name, output_bytes: bytes, command }: WaitingOutput): string[] {
  return [sizeText(bytes), `client ${id}`, addr, name === '' ? '-' : name, command];
}
