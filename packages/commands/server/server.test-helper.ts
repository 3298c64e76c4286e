/** Imitations of what commands of this family ask of the server. */

import { CommandError } from '#base';
import type { TraceReport } from '#api-types';
import { CallContext, type CallOptions } from '../call.test-helper.ts';
import { commandTable } from '../table/all-commands.ts';
import type {
  MemoryTree,
  ReplicationPort,
  SavingPort,
  ServerContext,
  TraceStatus,
} from './ports/ports.ts';

const TRACE_STATUS: TraceStatus = {
  enabled: 1,
  'sampling-rate': '0.5',
  'sampled-total': 7,
  'dropped-busy-total': 1,
  'dropped-queue-total': 2,
  'dropped-collector-total': 3,
  'spans-exported-total': 20,
  queued: 4,
  recent: 5,
  collector: 'working',
};
const TRACE: TraceReport = {
  trace_id: 'ab',
  spans: [
    {
      span_id: 'cd',
      parent_id: null,
      name: 'GET',
      start_us: 1_000,
      duration_us: 2.25,
      attributes: { 'svc.shard_id': 1 },
    },
  ],
};
const MEMORY_TREE: MemoryTree = [
  ['total', 5],
  ['share', { double: 0.5 }],
  ['tree', [['part', 1]]],
];
export const MEMORY_REPLY = ['total', 5, 'share', '0.5', 'tree', ['part', 1]];
export const BUNDLE = {
  id: '20260102T030405Z-abcdef',
  created_at: '2026-01-02T03:04:05.000Z',
  size_bytes: 1_234,
  expires_at: '2026-01-02T04:04:05.000Z',
};

type Ask = (what: string, ...words: unknown[]) => void;

/** The ports of this family: all that its commands see beside what every command does. */
type Ports = Omit<
  ServerContext,
  'reply' | 'client' | 'nowMs' | 'unixUs' | 'mayBlock' | 'defer' | 'hotKeys'
>;

function replicationPort(ask: Ask): ReplicationPort {
  return {
    role: { role: 'master' },
    replicaOf: (host, port) => {
      ask('replicaOf', host, port);
      return host !== 'same';
    },
    replicaOfNone: () => {
      ask('replicaOfNone');
    },
    takeOver: (id) => {
      ask('takeOver', id);
      return id === 'mine';
    },
    syncRefusal: undefined,
    failover: {
      isUnderWay: false,
      begin: (wish) => {
        ask('failover', wish);
      },
      abort: (reason) => {
        ask('abort', reason);
      },
    },
  };
}

/** Imitations of the ports, and what was asked of them. */
export function contextWithPorts(
  options: CallOptions = {},
  saving?: SavingPort,
  keepsLog = true,
): { context: CallContext; asked: string[] } {
  const asked: string[] = [];
  const ask: Ask = (what, ...words) => {
    asked.push([what, ...words.map((word) => JSON.stringify(word))].join(' '));
  };
  const ports: Ports = {
    commands: commandTable,
    redisVersion: '7.4.1',
    saving,
    startedMs: 0,
    replication: replicationPort(ask),
    settings: {
      get: (patterns) => patterns.map((pattern) => [pattern, `value of ${pattern}`] as const),
      set: (pairs) => {
        if (pairs[0]?.[0] === 'nothing') throw new CommandError('ERR no such setting');
        ask('set', pairs);
      },
      shown: () => Promise.resolve(),
      rewrite: () => ask('rewrite'),
    },
    process: {
      shutdown: (how) => {
        ask('shutdown', how);
      },
      abortShutdown: () => asked.some((each) => each.startsWith('shutdown')),
      freeze: (seconds) => {
        ask('freeze', seconds);
      },
    },
    timers: {
      after: (ms, callback) => {
        ask('after', ms);
        callback();
      },
    },
    log: { warning: (message) => ask('log', message) },
    monitors: { start: (_client, { lines }) => ask('monitor', lines) },
    statistics: {
      reset: () => {
        ask('reset');
        return Promise.resolve();
      },
    },
    memory: memoryPort(ask),
    replicas: replicasPort(ask, keepsLog),
    ...reports(ask),
  };
  return { context: new CallContext({ ports, ...options }), asked };
}

/** One replica, which has 70 of 100 bytes. */
function replicasPort(ask: Ask, keepsLog: boolean): Ports['replicas'] {
  const details = {
    listeningPort: 0,
    ipAddress: '',
    nodeId: '',
    hasEof: false,
    hasPsync2: false,
    hasStamps: false,
    version: '',
    isRdbOnly: false,
    filter: 'all' as const,
  };
  return {
    offset: 100,
    count: 1,
    stateOf: ({ port }) => (port === 6380 ? 'online' : port === 6381 ? 'send_bulk' : undefined),
    online: [{ host: '10.0.0.1', port: 6380, offset: 70 }],
    keepsLog,
    detailsOf: () => details,
    takesSlots: (_client, migration) => {
      ask('takes slots', migration);
      return Promise.resolve();
    },
    resume: (_client, id, offset) => {
      ask('resume', id, offset, details);
      return id === '?' ? undefined : `CONTINUE ${id}`;
    },
    requestFull: () => {
      ask('full', details);
    },
    acknowledge: (_client, offset, diskOffset) => {
      ask('acknowledge', offset, diskOffset);
    },
    acks: () => ({ replicas: 1, local: 1 }),
    await: (_client, wish) => {
      ask('await', wish);
      return () => ({ replicas: 1, local: 1 });
    },
  };
}

function memoryPort(ask: Ask): Ports['memory'] {
  return {
    stats: () => MEMORY_TREE,
    statsLater: () => Promise.resolve(MEMORY_TREE),
    latencyMonitor: () => 'well\n',
    allocator: () => 'slabs\n',
    purge: () => {
      ask('purge');
      return Promise.resolve();
    },
  };
}

function reports(
  ask: Ask,
): Pick<Ports, 'info' | 'status' | 'bundles' | 'threads' | 'flight' | 'traces'> {
  return {
    info: { render: (sections) => `# ${sections.join(',') || 'default'}` },
    status: { json: () => '{"status":1}' },
    bundles: {
      generate: () => Promise.resolve(BUNDLE),
      list: () => Promise.resolve([BUNDLE]),
    },
    threads: {
      names: ['main', 'shard-0', 'shard-1', 'ops'],
      profile: (thread, seconds) => {
        if (thread === 'shard-1') return Promise.reject(new Error('shard-1 is busy'));
        return Promise.resolve(Buffer.from(`${thread} ${seconds}`));
      },
      heap: () =>
        Promise.resolve({ figures: { used: 5 }, spaces: [{ space: 'new', figures: { size: 7 } }] }),
    },
    flight: {
      newest: (count, thread) => {
        ask('flight', String(count), thread ?? 'all');
        return [
          { time_us: 5, thread: 'main', event: 'config-change', setting: 'a.b', value: null },
          { time_us: 6, thread: 'shard-1', event: 'slow-batch', duration_us: 5_000.5 },
        ];
      },
    },
    traces: {
      status: () => Promise.resolve(TRACE_STATUS),
      recent: (count) => Promise.resolve(new Array<TraceReport>(count).fill(TRACE).slice(0, 2)),
    },
  };
}

/** Returns what a command has answered later. */
export async function later(context: CallContext): Promise<unknown> {
  await new Promise((resolve) => setImmediate(resolve));
  return context.deferred.pop();
}
