/** Synchronisations: how many were partial, and for which reasons others were full. */

import type { JSX } from 'preact';
import type { SyncFigures } from '../../../model/api.ts';
import { whole } from '../../../model/format.ts';
import { Table, type Column } from '../../table.tsx';

interface Row {
  readonly what: string;
  readonly about: string;
  readonly count: number;
}

/** Meaning of each reason. */
const REASONS: Readonly<Record<string, string>> = {
  first: 'the replica had no replication id',
  'data-only': 'it requested the data only, as a copy',
  'old-protocol': 'it used SYNC instead of PSYNC',
  'no-backlog': 'there was no backlog: raise repl-backlog-ttl',
  'other-stream': 'it followed another stream',
  'backlog-short': 'its offset was no longer in the backlog: raise repl-backlog-size',
  ahead: 'its offset was ahead of this server',
};

export function SyncCounts({ counts }: { readonly counts: SyncFigures }): JSX.Element {
  return (
    <Table
      caption="Synchronisations"
      columns={columns}
      rows={rowsOf(counts)}
      keyOf={({ what }) => what}
      rowsMax={20}
    />
  );
}

function rowsOf(counts: SyncFigures): Row[] {
  const full = Object.entries(counts.full_syncs_by_reason).map(([reason, number]) => ({
    what: `full: ${reason}`,
    about: REASONS[reason] ?? '',
    count: number,
  }));
  return [
    {
      what: 'partial',
      about: 'replicas that resumed from the backlog',
      count: counts.partial_syncs,
    },
    { what: 'full', about: 'replicas that received all data', count: counts.full_syncs },
    ...full,
    {
      what: 'refused',
      about: 'requested partial resyncs that were not possible',
      count: counts.partial_syncs_refused,
    },
    {
      what: 'own, partial',
      about: 'as a replica: partial resyncs from the primary',
      count: counts.own_partial_syncs,
    },
    {
      what: 'own, full',
      about: 'as a replica: full syncs from the primary',
      count: counts.own_full_syncs,
    },
  ];
}

const columns: readonly Column<Row>[] = [
  { name: 'what', title: 'Kind', show: ({ what }) => what },
  { name: 'count', title: 'Count', isNumber: true, show: ({ count }) => whole(count) },
  { name: 'about', title: 'Meaning', isWide: true, show: ({ about }) => about },
];
