/** Readings of all surfaces of a server, one straight after the other. */

import {
  type ChildServer,
  type OtlpMetric,
  type Reply,
  request,
  type RespClient,
  textOf,
} from '#testkit';
import type { Quantity } from './quantities.ts';

type Json = Readonly<Record<string, unknown>>;

interface MetricOfJson {
  readonly name: string;
  readonly samples: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly value?: number;
  }[];
}

export interface Reading {
  readonly info: string;
  /** The status document of each surface that has it. */
  readonly statuses: Readonly<Record<string, Json>>;
  readonly shardStats: readonly Json[];
  /** Lines of `/metrics`. */
  readonly metricLines: readonly string[];
  readonly metrics: readonly MetricOfJson[];
  /** A push that was read after the other surfaces; none where it was not waited for. */
  readonly pushed: readonly OtlpMetric[] | undefined;
  readonly clientList: string;
  readonly clients: readonly Json[];
  readonly histogram: readonly unknown[];
  readonly latency: readonly { readonly command: string; readonly calls: number }[];
  readonly fates: readonly Reply[];
  readonly httpFates: Readonly<Record<string, number>>;
}

export async function read(
  server: ChildServer,
  client: RespClient,
  nextPush?: () => Promise<readonly OtlpMetric[]>,
): Promise<Reading> {
  const get = async (path: string): Promise<Json> =>
    (await request(server.httpPort, path)).json() as Json;
  const [info = null, status = null, histogram = null, fates = null, clientList = null] =
    await client.pipeline([
      ['INFO', 'everything'],
      ['STATUS', 'JSON'],
      ['LATENCY', 'HISTOGRAM'],
      ['KEYFATE', 'COUNTS'],
      ['CLIENT', 'LIST'],
    ]);
  const live = await get('/debug/api/live');
  return {
    info: textOf(info),
    statuses: {
      'STATUS JSON': JSON.parse(textOf(status)) as Json,
      '/status/json': await get('/status/json'),
      live: { ...figuresOf(live), shards: live['shards'] },
    },
    shardStats: (await get('/debug/api/shard-stats'))['shards'] as Json[],
    metricLines: (await request(server.httpPort, '/metrics')).text.split('\n'),
    metrics: (await get('/debug/api/metrics'))['metrics'] as MetricOfJson[],
    clientList: textOf(clientList),
    clients: (await get('/debug/api/clients'))['clients'] as Json[],
    histogram: histogram as unknown[],
    latency: (await get('/debug/api/latency'))['commands'] as Reading['latency'],
    fates: fates as Reply[],
    httpFates: (await get('/debug/api/key-fates'))['counts'] as Reading['httpFates'],
    pushed: await nextPush?.(),
  };
}

/** The parts of the status document that the debug pages draw. */
function figuresOf(live: Json): Json {
  return (live['status'] as { readonly figures: Json }).figures;
}

/** Returns a quantity on a surface. A count without any events may be missing: it is 0 then. */
export function valuesOf({ on }: Quantity, reading: Reading): Map<string, number> {
  const values = new Map<string, number>();
  const { info, status, shards, metrics, exporter, clients, calls, fate } = on;
  if (info !== undefined)
    values.set(
      'INFO',
      sum(info, (name) => inInfo(reading, name)),
    );
  if (status !== undefined) addStatuses(values, status, reading);
  if (shards !== undefined) {
    for (const [surface, document] of Object.entries(reading.statuses)) {
      values.set(
        `shards of ${surface}`,
        sum(document['shards'] as Json[], (one) => Number(one[shards])),
      );
    }
    values.set(
      'shard-stats',
      sum(reading.shardStats, (shard) => Number(shard[shards])),
    );
  }
  if (metrics !== undefined) addMetrics(values, metrics, reading);
  if (exporter !== undefined) addMetrics(values, [exporter], reading, `: ${exporter}`);
  if (clients !== undefined) {
    const [field, name] = clients;
    const found = reading.clientList.matchAll(new RegExp(` ${field}=(\\d+)`, 'g'));
    values.set(
      'CLIENT LIST',
      sum([...found], ([, count]) => Number(count)),
    );
    values.set(
      '/debug/api/clients',
      sum(reading.clients, (one) => Number(one[name])),
    );
  }
  if (calls !== undefined) addCalls(values, calls, reading);
  if (fate !== undefined) {
    const place = reading.fates.findIndex((each) => textOf(each) === fate);
    values.set('KEYFATE COUNTS', Number(reading.fates[place + 1]));
    values.set('/debug/api/key-fates', reading.httpFates[fate] ?? NaN);
  }
  return values;
}

function addStatuses(values: Map<string, number>, path: string, { statuses }: Reading): void {
  for (const [surface, document] of Object.entries(statuses)) {
    // The debug pages draw parts of it.
    if (surface === 'live' && !(path.split('.', 1)[0]! in document)) continue;
    values.set(surface, Number(at(document, path)));
  }
}

function addMetrics(
  values: Map<string, number>,
  names: readonly string[],
  { metricLines, metrics, pushed }: Reading,
  as = '',
): void {
  const inText = (name: string): number =>
    sum(
      metricLines.filter(
        (line) => line === name || line.startsWith(`${name} `) || line.startsWith(`${name}{`),
      ),
      (line) => Number(line.slice(line.lastIndexOf(' '))),
    );
  const wanted = names.map(parsed);
  // Families of what is off are not sent, on any surface.
  if (wanted.every(isOff) && !wanted.some(({ name }) => metrics.some((one) => one.name === name))) {
    return;
  }
  values.set(`/metrics${as}`, sum(names, inText));
  const inJson = ({ name, labels }: Wanted): number =>
    sum(metrics.find((metric) => metric.name === name)?.samples ?? [NOTHING], (sample) =>
      fits(sample.labels, labels) ? (sample.value ?? NaN) : 0,
    );
  values.set(`/debug/api/metrics${as}`, sum(wanted, inJson));
  if (pushed === undefined) return;
  const inPush = ({ name, labels }: Wanted): number =>
    sum(pushed.find((metric) => metric.name === name)?.points ?? [], (point) =>
      fits(point.attributes, labels) ? (point.value ?? NaN) : 0,
    );
  values.set(`OTLP${as}`, sum(wanted, inPush));
}

function addCalls(values: Map<string, number>, command: string, reading: Reading): void {
  const { histogram, latency, statuses } = reading;
  const place = histogram.indexOf(command);
  const [, calls] = place < 0 ? [] : (histogram[place + 1] as unknown[]);
  values.set('LATENCY HISTOGRAM', Number(calls ?? 0));
  values.set('/debug/api/latency', latency.find((one) => one.command === command)?.calls ?? 0);
  for (const [surface, document] of Object.entries(statuses)) {
    const top = at(document, 'commands.top') as Reading['latency'] | undefined;
    const found = top?.find((one) => one.command === command);
    if (found !== undefined) values.set(`the top of ${surface}`, found.calls);
  }
}

interface Wanted {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** In place of an unknown sample of a metric. */
const NOTHING = { labels: {}, value: NaN };

/** `name{label="value"}` in its parts. */
function parsed(text: string): Wanted {
  const labels = [...text.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  return { name: text.split('{', 1)[0]!, labels: Object.fromEntries(labels) as Wanted['labels'] };
}

function fits(has: Readonly<Record<string, unknown>>, wanted: Wanted['labels']): boolean {
  return Object.entries(wanted).every(([name, value]) => has[name] === value);
}

function inInfo({ info }: Reading, name: string): number {
  const [field = '', part] = name.split('.');
  const line = new RegExp(`^${field}:(.*)\r$`, 'm').exec(info)?.[1];
  // Commands, errors and databases have a line only if there is data.
  if (line === undefined) return part === undefined ? NaN : 0;
  return Number(part === undefined ? line : new RegExp(`\\b${part}=([\\d.]+)`).exec(line)?.[1]);
}

function at(document: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((found, name) => (found as Json)[name], document);
}

function sum<T>(all: Iterable<T>, of: (one: T) => number): number {
  let total = 0;
  for (const one of all) total += of(one);
  return total;
}

/** True for metrics of features that the server may have switched off. */
function isOff({ name }: Wanted): boolean {
  return name.startsWith('svc_tiered_') || name.startsWith('svc_cluster_');
}
