/** Readings of replication on all surfaces of a server, one straight after the other. */

import { gunzipSync } from 'node:zlib';
import type { ReplicationDocument, StatusDocument } from '#api-types';
import { type ChildServer, request, type RespClient, textOf } from '#testkit';
import { infoOf } from '../info.test-helper.ts';

export interface Surfaces {
  readonly info: Readonly<Record<string, string>>;
  readonly stats: Readonly<Record<string, string>>;
  readonly statusCommand: StatusDocument;
  readonly status: StatusDocument;
  readonly document: ReplicationDocument;
  readonly metrics: Metrics;
  readonly metricsJson: Metrics;
  readonly role: Readonly<Record<string, unknown>>;
  readonly bundle: ReadonlyMap<string, string>;
}

/** Values of metrics by name, or by `name{label="value"}`. */
type Metrics = ReadonlyMap<string, number>;

export async function readSurfaces(server: ChildServer, client: RespClient): Promise<Surfaces> {
  const get = async (path: string): Promise<unknown> =>
    (await request(server.httpPort, path)).json();
  return {
    info: await infoOf(client),
    stats: await infoOf(client, 'stats'),
    statusCommand: JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as StatusDocument,
    status: (await get('/status/json')) as StatusDocument,
    document: (await get('/debug/api/replication')) as ReplicationDocument,
    metrics: metricsIn((await request(server.httpPort, '/metrics')).text),
    metricsJson: metricsOfJson((await get('/debug/api/metrics')) as MetricsDocument),
    role: (await get('/admin/role')) as Record<string, unknown>,
    bundle: await bundleOf(server),
  };
}

export function metricsIn(text: string): Metrics {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

interface MetricsDocument {
  readonly metrics: readonly {
    readonly name: string;
    readonly samples: readonly {
      readonly labels: Readonly<Record<string, string>>;
      readonly value?: number;
    }[];
  }[];
}

function metricsOfJson({ metrics }: MetricsDocument): Metrics {
  const all = new Map<string, number>();
  for (const { name, samples } of metrics) {
    for (const { labels, value } of samples) {
      const shown = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
      const key = shown.length === 0 ? name : `${name}{${shown.join(',')}}`;
      if (value !== undefined) all.set(key, value);
    }
  }
  return all;
}

/** Texts of the files of a new bundle, by their names. */
async function bundleOf(server: ChildServer): Promise<ReadonlyMap<string, string>> {
  const { bytes } = await request(server.httpPort, '/debug/api/bundle/generate');
  const archive = gunzipSync(bytes);
  const files = new Map<string, string>();
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0;) {
    const field = (from: number, length: number): string =>
      archive.toString('latin1', at + from, at + from + length).replace(/\0.*$/s, '');
    const size = parseInt(field(124, 12), 8);
    files.set(
      field(0, 100).replace(/^[^/]*\//, ''),
      archive.toString('utf8', at + 512, at + 512 + size),
    );
    at += 512 + 512 * Math.ceil(size / 512);
  }
  return files;
}
