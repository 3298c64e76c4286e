/** Overview of the server: issues, load, and the current activity of each shard. */

import type { JSX } from 'preact';
import type { LiveFigures, LiveSample, LiveTotals, ShardStatus } from '../../model/api.ts';
import { visible, visibleKey } from '../../model/escape.ts';
import { bytes, count, micros, NONE, percent, rate, whole } from '../../model/format.ts';
import { LiveCharts, type Sketch } from '../live-charts.tsx';
import { useLiveView } from '../live.ts';
import { Badge, Bar, Fact, Panel } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';
import { HealthReport } from './overview/health.tsx';

const VIEW = 'with=figures,shards,totals,times';

export function OverviewPage(): JSX.Element {
  const live = useLiveView(VIEW);
  const { status, shards, history } = live.data ?? {};
  const latest = history?.latest;
  return (
    <>
      <Panel title="Health" source={live}>
        <HealthReport health={status?.health} />
        {status?.figures && <Facts figures={status.figures} latest={latest} />}
      </Panel>
      {status?.figures?.tiered.enabled === true && (
        <Panel title="Warm tier" source={live}>
          <TierFacts figures={status.figures} latest={latest} />
        </Panel>
      )}
      <Panel title="Now on each shard" source={live}>
        <Table
          caption="What each shard is doing now"
          columns={shardColumns}
          rows={shards ?? []}
          keyOf={({ id }) => id}
        />
      </Panel>
      <Panel title="Last five minutes" class="charts" source={live}>
        {history !== undefined && (
          <LiveCharts sketches={CHARTS} history={history} seq={history.since} />
        )}
      </Panel>
    </>
  );
}

interface FactsProps {
  readonly figures: LiveFigures;
  readonly latest: LiveSample | undefined;
}

function Facts({ figures, latest }: FactsProps): JSX.Element {
  const { memory, clients, keyspace, commands } = figures;
  const limit = memory.limit_bytes > 0 ? `of ${bytes(memory.limit_bytes)}` : 'no limit';
  return (
    <dl class="facts ten">
      <Rates latest={latest} total={commands.total_processed} />
      <Fact label="Memory" value={bytes(memory.used_bytes)} note={limit} />
      <Fact
        label="Resident"
        value={bytes(memory.rss_bytes)}
        note={`peak use ${bytes(memory.peak_bytes)}`}
      />
      <Fact
        label="Clients"
        value={whole(clients.connected)}
        note={`of ${whole(clients.max_clients)}, ${whole(clients.blocked)} blocked`}
      />
      <Fact
        label="Keys"
        value={count(keyspace.total_keys)}
        note={`${count(keyspace.expires)} expire`}
      />
      <Outcomes latest={latest?.totals ?? undefined} errors={commands.errors_total} />
    </dl>
  );
}

/** Shares of keys and of use that memory has, and what the disk costs. */
function TierFacts({ figures, latest }: FactsProps): JSX.Element {
  const { tiered } = figures;
  const { hot_keys: hot, warm_keys: warm } = tiered;
  const { hits = 0, warm_fetches: fetches = 0, spills } = latest?.totals ?? {};
  const memoryPercent = hits > 0 ? 100 * (1 - Math.min(1, fetches / hits)) : null;
  const hotPercent = hot + warm > 0 ? (100 * hot) / (hot + warm) : null;
  return (
    <dl class="facts ten">
      <Fact
        label="In memory"
        value={percent(hotPercent)}
        note={`${count(hot)} hot, ${count(warm)} warm keys`}
      />
      <Fact
        label="Hit rate of memory"
        value={percent(memoryPercent)}
        note={`${rate(fetches)} fetched`}
      />
      <Fact
        label="Fetch p99"
        value={micros(tiered.fetch_p99_us)}
        note={`p50 ${micros(tiered.fetch_p50_us)}`}
      />
      <Fact label="Spills" value={rate(spills)} note={`${count(tiered.spills_total)} in all`} />
      <Fact
        label="On disk"
        value={bytes(tiered.file_bytes)}
        note={`${bytes(tiered.live_bytes)} in use`}
      />
      <Fact
        label="Disk"
        value={tiered.fault}
        {...(tiered.fault === 'none' ? {} : { tone: 'bad' as const })}
        note={tiered.is_only_copy ? 'the only copy' : 'a cache'}
      />
    </dl>
  );
}

interface RatesProps {
  readonly latest: LiveSample | undefined;
  readonly total: number;
}

function Rates({ latest, total }: RatesProps): JSX.Element {
  const { ops, main_busy_percent: busy } = latest?.totals ?? {};
  const { execute, queue } = latest?.times ?? {};
  return (
    <>
      <Fact label="Operations" value={rate(ops)} note={`${count(total)} in all`} />
      <Fact
        label="Execute p99"
        value={micros(execute?.p99_us)}
        note={`p50 ${micros(execute?.p50_us)}`}
      />
      <Fact label="Queue p99" value={micros(queue?.p99_us)} note={`p50 ${micros(queue?.p50_us)}`} />
      <Fact label="Main thread" value={percent(busy)} note="busy" />
    </>
  );
}

interface OutcomesProps {
  readonly latest: LiveTotals | undefined;
  readonly errors: number;
}

function Outcomes({ latest, errors }: OutcomesProps): JSX.Element {
  const { hits = 0, misses = 0 } = latest ?? {};
  const hitPercent = hits + misses > 0 ? (100 * hits) / (hits + misses) : null;
  const tone = latest !== undefined && latest.errors > 0 ? 'warn' : undefined;
  return (
    <>
      <Fact
        label="Hit rate"
        value={percent(hitPercent)}
        note={`${rate(latest?.evicted)} evicted`}
      />
      <Fact
        label="Errors"
        value={rate(latest?.errors)}
        note={`${count(errors)} in all`}
        tone={tone}
      />
    </>
  );
}

const STATES = { running: 'good', stuck: 'bad', restarting: 'warn' } as const;

const shardColumns: readonly Column<ShardStatus>[] = [
  { name: 'id', title: 'Shard', value: ({ id }) => id, show: ({ id }) => id, isNumber: true },
  {
    name: 'state',
    title: 'State',
    value: ({ state }) => state,
    show: ({ state }) => <Badge tone={STATES[state]} text={state} />,
  },
  {
    name: 'busy',
    title: 'Busy',
    isNumber: true,
    value: (shard) => shard.busy_percent,
    show: ({ busy_percent: busy }) => (
      <span class="metered">
        <Bar percent={busy} tone={busy > 90 ? 'warn' : ''} /> {percent(busy)}
      </span>
    ),
  },
  {
    name: 'ops',
    title: 'Ops',
    isNumber: true,
    value: (shard) => shard.ops_per_sec,
    show: (shard) => rate(shard.ops_per_sec),
  },
  {
    name: 'queue',
    title: 'Queued',
    isNumber: true,
    value: (shard) => shard.queue_depth,
    show: (shard) => whole(shard.queue_depth),
  },
  {
    name: 'keys',
    title: 'Keys',
    isNumber: true,
    value: ({ keys }) => keys,
    show: ({ keys }) => whole(keys),
  },
  {
    name: 'memory',
    title: 'Memory',
    isNumber: true,
    value: (shard) => shard.memory_bytes,
    show: (shard) => bytes(shard.memory_bytes),
  },
  {
    name: 'executing',
    title: 'Executing',
    isWide: true,
    show: ({ executing }) =>
      executing === null ? (
        <span class="faint">idle</span>
      ) : (
        <span class="mono">
          <b>{visible(executing.command)}</b>{' '}
          {executing.script !== null && (
            <span title="script or function">{visible(executing.script, 64)} </span>
          )}
          {executing.key !== null && <span title="first key">{visibleKey(executing.key)}</span>}
        </span>
      ),
  },
  {
    name: 'elapsed',
    title: 'For',
    isNumber: true,
    value: ({ executing }) => executing?.elapsed_us,
    show: ({ executing }) => (executing === null ? NONE : micros(executing.elapsed_us)),
  },
  {
    name: 'client',
    title: 'Client',
    isNumber: true,
    value: ({ executing }) => executing?.client_id,
    show: ({ executing }) =>
      typeof executing?.client_id === 'number' ? `#${executing.client_id}` : NONE,
  },
];

const CHARTS: readonly Sketch[] = [
  {
    title: 'Operations per second',
    format: count,
    least: 10,
    lines: [{ label: 'ops', colour: 'c1', isFilled: true }],
    values: [({ totals }) => totals?.ops],
  },
  {
    title: 'Execution time',
    format: micros,
    isLog: true,
    lines: [
      { label: 'p50', colour: 'c1' },
      { label: 'p99', colour: 'c2' },
      { label: 'p99.9', colour: 'c3' },
      { label: 'max', colour: 'c4' },
    ],
    values: [
      ({ times }) => times?.execute?.p50_us,
      ({ times }) => times?.execute?.p99_us,
      ({ times }) => times?.execute?.p999_us,
      ({ times }) => times?.execute?.max_us,
    ],
  },
  {
    title: 'Queue time',
    format: micros,
    isLog: true,
    lines: [
      { label: 'p50', colour: 'c1' },
      { label: 'p99', colour: 'c2' },
      { label: 'max', colour: 'c4' },
    ],
    values: [
      ({ times }) => times?.queue?.p50_us,
      ({ times }) => times?.queue?.p99_us,
      ({ times }) => times?.queue?.max_us,
    ],
  },
  {
    title: 'Memory',
    format: bytes,
    isBinary: true,
    least: 1_048_576,
    lines: [
      { label: 'used', colour: 'c1', isFilled: true },
      { label: 'resident', colour: 'c2' },
    ],
    values: [({ totals }) => totals?.used_bytes, ({ totals }) => totals?.rss_bytes],
  },
  {
    title: 'Connections',
    format: whole,
    least: 5,
    lines: [
      { label: 'connected', colour: 'c1', isFilled: true },
      { label: 'blocked', colour: 'c4' },
    ],
    values: [({ totals }) => totals?.clients, ({ totals }) => totals?.blocked],
  },
  {
    title: 'Network per second',
    format: bytes,
    isBinary: true,
    least: 1_024,
    lines: [
      { label: 'in', colour: 'c1' },
      { label: 'out', colour: 'c2' },
    ],
    values: [({ totals }) => totals?.bytes_in, ({ totals }) => totals?.bytes_out],
  },
];
