/** `svc-server bundle inspect`: what a diagnostic bundle says, for the engineer who was sent it. */

import path from 'node:path';
import { readSubcommand } from '#config';
import { columns, durationText, shown, sizeText } from '../text/columns.ts';
import { healthLines } from '../text/health-lines.ts';
import { readArchive, type ArchiveFiles } from './read-archive.ts';
import { summaryOf, type BundleSummary } from './summary.ts';

const CHARS_MAX = 100;

/** Summary of one node's bundle in the archive of a cluster, or the reason why there is none. */
interface NodeSummary {
  readonly node: string;
  readonly summary?: BundleSummary;
  readonly error?: string;
}

/** Runs the subcommand; returns the exit code, 1 if parts of the bundle cannot be read. */
export async function inspectBundle(
  args: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const given = readSubcommand('bundle inspect', args);
  const [file = ''] = given.operands;
  const isJson = given.has('json');
  try {
    const files = await readArchive(file);
    if (files.has('nodes.json')) {
      const nodes = await nodesOf(files);
      print(isJson ? jsonText({ nodes }) : nodes.map(nodeText).join('\n\n'));
      return nodes.some(({ summary }) => (summary?.problems.length ?? 1) > 0) ? 1 : 0;
    }
    const summary = summaryOf(files);
    print(isJson ? jsonText(summary) : summaryLines(summary).join('\n'));
    return summary.problems.length > 0 ? 1 : 0;
  } catch (error) {
    throw new Error(`${file} cannot be read as a bundle: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function jsonText(document: object): string {
  return JSON.stringify(document, null, 2);
}

async function nodesOf(files: ArchiveFiles): Promise<NodeSummary[]> {
  const { nodes } = JSON.parse(files.get('nodes.json')!.toString()) as {
    nodes: readonly { readonly id: string; readonly error: string | null }[];
  };
  const found: NodeSummary[] = [];
  for (const { id, error } of nodes) {
    const archive = files.get(path.posix.join('nodes', `${id}.tar.gz`));
    found.push(
      archive === undefined ? { node: id, error: error ?? 'no bundle' } : await nodeOf(id, archive),
    );
  }
  return found;
}

async function nodeOf(node: string, archive: Buffer): Promise<NodeSummary> {
  try {
    return { node, summary: summaryOf(await readArchive(archive)) };
  } catch (error) {
    return { node, error: (error as Error).message };
  }
}

function nodeText({ node, summary, error }: NodeSummary): string {
  const lines = summary === undefined ? [`No bundle: ${error ?? ''}`] : summaryLines(summary);
  return [`Node ${node}`, ...lines].join('\n');
}

/** Returns a summary as lines of text. */
export function summaryLines(summary: BundleSummary): string[] {
  const up = summary.uptime_secs === null ? '' : `, up ${summary.uptime_secs} s`;
  return [
    `Bundle ${summary.id}, svc ${summary.version}, written ${summary.created_at}${up}`,
    '',
    ...(summary.health === null ? ['Health: unknown'] : healthLines(summary.health)),
    ...table(
      'Slowest commands',
      summary.slowest?.map(({ duration_us: us, command, args, client_addr: client, shard }) => [
        durationText(us),
        shard === null ? 'main' : `shard ${shard}`,
        client,
        shown([command, ...args].join(' '), CHARS_MAX),
      ]),
    ),
    ...table(
      'Largest clients',
      summary.largest_clients?.map((client) => [
        sizeText(client.memory_bytes),
        `client ${client.id}`,
        client.addr,
        `output ${sizeText(client.output_buffer_bytes)}`,
        client.last_command ?? '-',
      ]),
    ),
    ...table(
      'Hot keys',
      summary.hot_keys?.map(({ key, accesses }) => [shown(key, CHARS_MAX), accesses]),
    ),
    ...table('Settings that differ from the defaults', summary.changed_settings?.map(settingRow)),
    ...table(
      'Events of the last hour',
      summary.events?.map((event) => [
        new Date(event.time_ms).toISOString(),
        event.level,
        shown(eventText(event), CHARS_MAX),
      ]),
    ),
    ...(summary.doctor === null ? [] : ['', 'Latency doctor:', ...indented(summary.doctor)]),
    ...(summary.problems.length === 0 ? [] : ['', 'Problems of the bundle:']),
    ...summary.problems.map((problem) => `  ${problem}`),
  ];
}

function settingRow(setting: NonNullable<BundleSummary['changed_settings']>[number]): string[] {
  const { name, value, default: usual } = setting;
  const note = usual === null ? 'not a setting of this version' : `default ${usual}`;
  return [name, shown(value, CHARS_MAX), shown(note, CHARS_MAX)];
}

function eventText({ message, fields }: NonNullable<BundleSummary['events']>[number]): string {
  const details = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  return [message, ...details].join(' ');
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `  ${line}`.trimEnd());
}

function table(title: string, rows: readonly (readonly string[])[] | undefined): string[] {
  if (rows === undefined) return ['', `${title}: unknown`];
  return rows.length === 0 ? ['', `${title}: none`] : ['', `${title}:`, ...columns(rows)];
}
