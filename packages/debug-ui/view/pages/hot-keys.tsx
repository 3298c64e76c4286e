/** Keys that take the time and the traffic, while it happens. */

import type { JSX } from 'preact';
import type { HotKey, HotKeysReport } from '../../model/api.ts';
import { visibleBytes, visibleKey } from '../../model/escape.ts';
import { age, bytes, count, counted, micros, percent } from '../../model/format.ts';
import type { Reading } from '../../model/freshness.ts';
import { post } from '../browser.ts';
import { usePolled } from '../source.ts';
import { ActionButton } from '../scope.tsx';
import { Badge, Bar, Fact, MissingShards, Panel, Problem, useDoing } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';
import { LinkedKey } from './hot-keys/linked-key.tsx';
import { HotWindowPanel } from './hot-window.tsx';
import { PrefixesPanel } from './prefixes.tsx';

const PERIOD_MS = 1_000;
const PATH = '/debug/api/hotkeys';
const TONES = { idle: 'plain', active: 'good', stopped: 'plain' } as const;

export function HotKeysPage(): JSX.Element {
  const session = usePolled<HotKeysReport>(PATH, PERIOD_MS);
  const { data } = session;
  const doing = useDoing();
  const act = (action: string, options: object = {}): void =>
    doing.run(async () => {
      await post(`${PATH}/${action}`, options);
      await session.again();
      return '';
    });
  const state = data?.state ?? 'idle';
  return (
    <>
      <LinkedKey />
      <Panel
        title="Session"
        source={session}
        aside={
          <>
            {data !== null && <Badge tone={TONES[state]} text={state} />}
            {state === 'active' && (
              <ActionButton type="button" onClick={() => act('stop')}>
                Stop
              </ActionButton>
            )}
            {state === 'stopped' && (
              <ActionButton type="button" onClick={() => act('reset')}>
                Clear
              </ActionButton>
            )}
          </>
        }
      >
        <Problem text={doing.problem} />
        {state !== 'active' && (
          <StartForm isBusy={doing.isBusy} start={(options) => act('start', options)} />
        )}
        {data !== null && state !== 'idle' && <Session report={data} />}
      </Panel>
      {data !== null && state !== 'idle' && <Ranking report={data} source={session} />}
      <HotWindowPanel />
      <PrefixesPanel />
    </>
  );
}

interface StartProps {
  readonly isBusy: boolean;
  readonly start: (options: object) => void;
}

function StartForm({ isBusy, start }: StartProps): JSX.Element {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        start({
          metrics: form.getAll('metric'),
          count: Number(form.get('count')),
          duration_ms: Number(form.get('seconds')) * 1_000,
          sample: Number(form.get('sample')),
        });
      }}
    >
      <fieldset>
        <legend>Rank by</legend>
        <label class="check">
          <input type="checkbox" name="metric" value="cpu" defaultChecked /> time of execution
        </label>
        <label class="check">
          <input type="checkbox" name="metric" value="net" defaultChecked /> traffic
        </label>
      </fieldset>
      <label>
        Keys
        <input type="number" name="count" min="1" max="100" defaultValue="20" required />
      </label>
      <label>
        Seconds <small>0: until stopped</small>
        <input type="number" name="seconds" min="0" max="86400" defaultValue="60" required />
      </label>
      <label>
        One command in <small>1: all</small>
        <input type="number" name="sample" min="1" defaultValue="1" required />
      </label>
      <ActionButton class="primary" disabled={isBusy}>
        Start
      </ActionButton>
    </form>
  );
}

function Session({ report }: { readonly report: HotKeysReport }): JSX.Element {
  const { state, duration_ms: duration, collection_duration_ms: collected } = report;
  const isActive = state === 'active';
  const limit = duration === 0 ? 'until stopped' : `of ${age((duration ?? 0) / 1_000)}`;
  return (
    <dl class="facts">
      <Fact
        label={isActive ? 'Collecting for' : 'Collected for'}
        value={age((collected ?? 0) / 1_000)}
        note={isActive ? limit : 'stopped'}
      />
      <Fact
        label="Time of execution"
        value={micros(report.total_cpu_time_us)}
        note="of commands with keys"
      />
      <Fact label="Traffic" value={bytes(report.total_net_bytes)} note="of commands with keys" />
      <Fact
        label="Sample"
        value={`1 in ${report.sample_ratio}`}
        note={`ranked by ${report.metrics.join(', ')}`}
      />
    </dl>
  );
}

interface RankingProps {
  readonly report: HotKeysReport;
  readonly source: Reading;
}

function Ranking({ report, source }: RankingProps): JSX.Element {
  const { keys, total_cpu_time_us: us, total_net_bytes: traffic } = report;
  const first = report.metrics[0] === 'net' ? 'net' : 'cpu';
  const columns: readonly Column<HotKey>[] = [
    {
      name: 'key',
      title: 'Key',
      value: ({ key }) => key,
      isWide: true,
      show: ({ key, binary }) => (
        <span class="mono">{binary ? visibleBytes(key) : visibleKey(key)}</span>
      ),
    },
    {
      name: 'calls',
      title: 'Accesses',
      isNumber: true,
      value: (key) => key.access_count,
      show: (key) => count(key.access_count),
    },
    shareColumn('cpu', 'Time', micros, (key) => key.total_cpu_time_us, us ?? 0),
    shareColumn('net', 'Traffic', bytes, (key) => key.total_net_bytes, traffic ?? 0),
    {
      name: 'error',
      title: 'Over by',
      isNumber: true,
      value: ({ error }) => error,
      show: ({ error }) => `≤ ${first === 'net' ? bytes(error) : micros(error)}`,
      hint: 'Maximum overestimate of the ranking value',
    },
  ];
  return (
    <Panel title={counted(keys.length, 'hottest key')} source={source}>
      <MissingShards shards={report.missing_shards} missing="its keys" />
      <Table
        caption="Hottest keys"
        columns={columns}
        rows={keys}
        keyOf={({ key, binary }) => `${String(binary)} ${key}`}
        order={{ column: first, isDescending: true }}
        empty="No command with a key yet."
      />
    </Panel>
  );
}

// A column has a name, a title, a unit, its value and its total.
function shareColumn(
  ...[name, title, show, value, whole]: [
    name: string,
    title: string,
    show: (value: number) => string,
    value: (key: HotKey) => number,
    whole: number,
  ]
): Column<HotKey> {
  return {
    name,
    title,
    value,
    isNumber: true,
    show: (key) => {
      const share = whole > 0 ? (100 * value(key)) / whole : 0;
      return (
        <span class="metered three">
          {show(value(key))} <Bar percent={share} /> {percent(Math.min(100, share))}
        </span>
      );
    },
  };
}
