/** The keys used most in the last whole window, which is watched without a session. */

import type { JSX } from 'preact';
import type { HotWindowKey, HotWindowReport } from '../../model/api.ts';
import { visibleBytes, visibleKey } from '../../model/escape.ts';
import { count } from '../../model/format.ts';
import { usePolled } from '../source.ts';
import { Fact, MissingShards, Panel } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';

const PERIOD_MS = 1_000;

export function HotWindowPanel(): JSX.Element {
  const report = usePolled<HotWindowReport>('/debug/api/hotkeys/window', PERIOD_MS);
  const window = report.data?.window ?? null;
  const empty =
    report.data?.enabled === true
      ? 'No command with a key in the last complete window.'
      : 'Continuous sampling is off: set hotkeys-window-enabled.';
  return (
    <Panel title="Last window" source={report}>
      {window !== null && (
        <dl class="facts">
          <Fact label="Window" value={`${window.seconds} s`} />
          <Fact label="Accesses" value={`${count(window.ops_per_sec)}/s`} note="of all keys" />
          <Fact label="Sample" value={`1 in ${window.sample_ratio}`} />
          <Fact
            label="Complete above"
            value={`${count(window.floor_per_sec)}/s`}
            note="less used keys may be missing"
          />
        </dl>
      )}
      <MissingShards shards={window?.missing_shards} missing="its keys" />
      <Table
        caption="Hottest keys of the last window"
        columns={columns}
        rows={window?.keys ?? []}
        keyOf={({ key, binary, db }) => `${db} ${String(binary)} ${key}`}
        order={{ column: 'ops', isDescending: true }}
        empty={empty}
      />
    </Panel>
  );
}

const columns: readonly Column<HotWindowKey>[] = [
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
    name: 'db',
    title: 'DB',
    isNumber: true,
    value: ({ db }) => db,
    show: ({ db }) => String(db),
  },
  rateColumn('ops', 'Per second', (key) => key.ops_per_sec),
  rateColumn('reads', 'Reads', (key) => key.reads_per_sec),
  rateColumn('writes', 'Writes', (key) => key.writes_per_sec),
  {
    ...rateColumn('error', 'Off by', (key) => key.error_per_sec),
    show: (key) => `≤ ${count(key.error_per_sec)}`,
    hint: 'Maximum error of the rate, by sampling and by the sketch',
  },
];

function rateColumn(
  name: string,
  title: string,
  value: (key: HotWindowKey) => number,
): Column<HotWindowKey> {
  return { name, title, value, isNumber: true, show: (key) => count(value(key)) };
}
