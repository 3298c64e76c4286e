/** Use and size of keys with configured prefixes. */

import type { JSX } from 'preact';
import type { PrefixReport, Prefixes } from '../../model/api.ts';
import { bytes, count, percent } from '../../model/format.ts';
import { usePolled } from '../source.ts';
import { Panel } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';

const PERIOD_MS = 1_000;

export function PrefixesPanel(): JSX.Element {
  const report = usePolled<Prefixes>('/debug/api/prefixes', PERIOD_MS);
  return (
    <Panel title="Key prefixes" source={report}>
      <Table
        caption="Key prefixes"
        columns={columns}
        rows={report.data?.prefixes ?? []}
        keyOf={({ prefix }) => prefix}
        order={{ column: 'ops', isDescending: true }}
        empty="No prefixes are configured: set key-prefixes."
      />
    </Panel>
  );
}

const columns: readonly Column<PrefixReport>[] = [
  {
    name: 'prefix',
    title: 'Prefix',
    value: ({ prefix }) => prefix,
    isWide: true,
    show: ({ prefix }) => (prefix === '' ? 'other keys' : <span class="mono">{prefix}</span>),
  },
  {
    name: 'ops',
    title: 'Accesses',
    isNumber: true,
    value: ({ ops }) => ops,
    show: ({ ops }) => count(ops),
  },
  {
    name: 'hits',
    title: 'Found',
    isNumber: true,
    value: foundPercent,
    show: (each) => (each.hits + each.misses === 0 ? '–' : percent(foundPercent(each))),
    hint: 'Share of look-ups by read commands that found their key',
  },
  {
    name: 'in',
    title: 'In',
    isNumber: true,
    value: (each) => each.bytes_in,
    show: (each) => bytes(each.bytes_in),
  },
  {
    name: 'out',
    title: 'Out',
    isNumber: true,
    value: (each) => each.bytes_out,
    show: (each) => bytes(each.bytes_out),
  },
  {
    name: 'keys',
    title: 'Keys',
    isNumber: true,
    value: ({ keys }) => keys ?? -1,
    show: ({ keys }) => (keys === null ? '–' : count(keys)),
  },
  {
    name: 'memory',
    title: 'Memory',
    isNumber: true,
    value: (each) => each.memory_bytes ?? -1,
    show: ({ memory_bytes: memory }) => (memory === null ? '–' : bytes(memory)),
  },
];

function foundPercent({ hits, misses }: PrefixReport): number {
  return hits + misses === 0 ? 0 : (100 * hits) / (hits + misses);
}
