/** The options of HOTKEYS START, in any order. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../../arguments/arguments.ts';
import type { HotKeysMetric, HotKeysPort, HotKeysStart } from '../ports/ports.ts';

const COUNT_DEFAULT = 16;
const COUNT_MAX = 100;
const SLOTS = 16_384;

const metricsTwice = new CommandError('ERR METRICS already specified');
const slotsTwice = new CommandError('ERR SLOTS already specified');
const metricsCount = new CommandError('ERR METRICS count must be between 1 and 2');
const metricsMismatch = new CommandError('ERR METRICS count does not match the number of metrics');
const countRange = new CommandError('ERR COUNT must be between 1 and 100');
const sampleRange = new CommandError('ERR SAMPLE ratio must be >= 1');
const noCluster = new CommandError('ERR SLOTS option is not allowed in non-cluster mode');

/** Slots of this node, where it is one of a cluster. */
type ClusterView = Pick<HotKeysPort, 'isCluster' | 'servesSlot'>;

/** Options that were read so far. */
interface Draft {
  metrics: HotKeysMetric[] | undefined;
  slots: number[] | undefined;
  count: number;
  durationMs: number;
  sample: number;
}

export function readHotKeysStart(args: Arguments, cluster: ClusterView): HotKeysStart {
  const draft: Draft = {
    metrics: undefined,
    slots: undefined,
    count: COUNT_DEFAULT,
    durationMs: 0,
    sample: 1,
  };
  args.position = 2;
  while (args.more) readOption(args, draft, cluster);
  const { count, durationMs, sample } = draft;
  return {
    metrics: draft.metrics ?? ['cpu', 'net'],
    slots: draft.slots ?? [],
    count,
    durationMs,
    sample,
  };
}

function readOption(args: Arguments, draft: Draft, cluster: ClusterView): void {
  if (args.takes('METRICS')) {
    if (draft.metrics !== undefined) throw metricsTwice;
    draft.metrics = readMetrics(args);
  } else if (args.takes('COUNT')) {
    draft.count = integerNext(args);
    if (draft.count < 1 || draft.count > COUNT_MAX) throw countRange;
  } else if (args.takes('DURATION')) {
    draft.durationMs = integerNext(args);
    if (draft.durationMs < 0) throw errors.notInteger;
  } else if (args.takes('SAMPLE')) {
    draft.sample = integerNext(args);
    if (draft.sample < 1) throw sampleRange;
  } else if (args.takes('SLOTS')) {
    if (draft.slots !== undefined) throw slotsTwice;
    if (!cluster.isCluster) throw noCluster;
    draft.slots = readSlots(args, cluster);
  } else {
    const option = args.latin1(args.next());
    throw new CommandError(`ERR unknown option '${option}' for 'hotkeys|start'`);
  }
}

const METRICS: readonly HotKeysMetric[] = ['cpu', 'net'];
/** Options that may follow the metrics: a metric that is missing is not taken for one of these. */
const OPTIONS = ['METRICS', 'COUNT', 'DURATION', 'SAMPLE', 'SLOTS'] as const;

function readMetrics(args: Arguments): HotKeysMetric[] {
  const count = integerNext(args);
  if (count < 1 || count > METRICS.length) throw metricsCount;
  const metrics: HotKeysMetric[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    if (!args.more || isOption(args)) throw metricsMismatch;
    const word = args.latin1(args.next());
    const metric = METRICS.find((each) => each === word.toLowerCase());
    if (metric === undefined) {
      throw new CommandError(`ERR METRICS invalid metric '${word}'. Valid metrics: cpu, net`);
    }
    if (metrics.includes(metric)) {
      throw new CommandError(`ERR METRICS duplicate metric '${word}'`);
    }
    metrics.push(metric);
  }
  if (args.more && METRICS.some((each) => args.spellsAt(args.position, each.toUpperCase()))) {
    throw metricsMismatch;
  }
  return metrics;
}

function isOption(args: Arguments): boolean {
  return OPTIONS.some((name) => args.spellsAt(args.position, name));
}

function readSlots(args: Arguments, cluster: ClusterView): number[] {
  const count = integerNext(args);
  if (count < 1 || count > args.left) throw errors.syntax;
  const slots = new Set<number>();
  for (let nth = 0; nth < count; nth += 1) {
    const index = args.next();
    const slot = args.integerAt(index);
    if (!(slot >= 0 && slot < SLOTS)) {
      throw new CommandError(`ERR Invalid slot '${args.latin1(index)}'. Valid range: 0-16383`);
    }
    if (slots.has(slot)) throw new CommandError(`ERR SLOTS duplicate slot '${slot}'`);
    if (!cluster.servesSlot(slot)) {
      throw new CommandError(`ERR Slot ${slot} is not handled by this node`);
    }
    slots.add(slot);
  }
  return [...slots];
}

/** The next argument as an integer. */
function integerNext(args: Arguments): number {
  if (!args.more) throw errors.syntax;
  const value = args.integerAt(args.next());
  if (Number.isNaN(value)) throw errors.notInteger;
  return value;
}
