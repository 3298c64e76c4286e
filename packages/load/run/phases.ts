/** Phases of commands inside of svc, from its metrics before and after a load: waits in queues, and execution. */

import { httpGet } from '#net';
import type { MetricsPlace } from '../options/plan.ts';

const ANSWER_MS_MAX = 15_000;
const US_PER_S = 1_000_000;

/** Histograms of the phases, with the label by which each is divided. */
const PHASES = [
  { phase: 'front', metric: 'svc_front_wait_seconds', label: 'thread' },
  { phase: 'queue', metric: 'svc_shard_queue_wait_seconds', label: 'shard' },
  { phase: 'execution', metric: 'svc_commands_duration_seconds', label: 'command' },
  { phase: 'scatter-gather', metric: 'svc_scatter_gather_duration_seconds', label: '' },
] as const;

const SAMPLE = /^(svc_\w+_seconds)_(sum|count|bucket)(?:\{(.*)\})? (\S+)$/;

/** Sums of a histogram: seconds, commands, and commands up to each bound in seconds. */
interface Histogram {
  seconds: number;
  count: number;
  readonly buckets: Map<number, number>;
}

/** Histograms by phase and place. */
export type PhaseReading = ReadonlyMap<string, Histogram>;

/** A phase of the commands of a load. */
export interface PhaseUse {
  readonly phase: string;
  /** Thread, shard or command that it is of; empty for all. */
  readonly of: string;
  readonly count: number;
  readonly meanUs: number;
  /** Bound that 99 of a hundred were within. */
  readonly p99WithinUs: number;
}

/** Reads the metrics; rejects with the place and the reason. */
export async function readPhases({ host, port, token }: MetricsPlace): Promise<PhaseReading> {
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  try {
    const options = { token, idleMs: ANSWER_MS_MAX, authorities: [], certificate: '', key: '' };
    const { status, body } = await httpGet(`http://${place}/metrics`, options);
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    if (status !== 200) throw new Error(`status ${status}`);
    return phasesIn(Buffer.concat(pieces).toString());
  } catch (error) {
    throw new Error(`--metrics ${place}: ${(error as Error).message}`, { cause: error });
  }
}

/** Reads the histograms of the phases in a text of metrics. */
export function phasesIn(text: string): PhaseReading {
  const reading = new Map<string, Histogram>();
  for (const line of text.split('\n')) {
    const [, metric, kind, labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    const found = PHASES.find((each) => each.metric === metric);
    if (found === undefined) continue;
    const of = labelIn(labels, found.label);
    const name = `${found.phase}\n${of}`;
    const histogram = reading.get(name) ?? { seconds: 0, count: 0, buckets: new Map() };
    reading.set(name, histogram);
    if (kind === 'sum') histogram.seconds += Number(value);
    else if (kind === 'count') histogram.count += Number(value);
    else
      histogram.buckets.set(
        Number(labelIn(labels, 'le').replace('+Inf', 'Infinity')),
        Number(value),
      );
  }
  return reading;
}

/** Returns the differences of two readings, without what had nothing to do. */
export function phaseUses(before: PhaseReading, after: PhaseReading): PhaseUse[] {
  const uses: PhaseUse[] = [];
  for (const [name, { seconds, count, buckets }] of after) {
    const was = before.get(name);
    const added = count - (was?.count ?? 0);
    if (added <= 0) continue;
    const [phase = '', of = ''] = name.split('\n');
    const bounds = [...buckets].sort(([a], [b]) => a - b);
    const within = bounds.find(
      ([bound, sum]) => sum - (was?.buckets.get(bound) ?? 0) >= 0.99 * added,
    );
    uses.push({
      phase,
      of,
      count: added,
      meanUs: ((seconds - (was?.seconds ?? 0)) / added) * US_PER_S,
      p99WithinUs: (within?.[0] ?? Infinity) * US_PER_S,
    });
  }
  return uses;
}

function labelIn(labels: string, name: string): string {
  if (name === '') return '';
  return new RegExp(`(?:^|,)${name}="((?:[^"\\\\]|\\\\.)*)"`).exec(labels)?.[1] ?? '';
}
