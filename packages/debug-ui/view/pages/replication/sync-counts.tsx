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
  first: 'the replica knew no stream',
  'data-only': 'it wanted the data alone, as a copy',
  'old-protocol': 'it spoke the protocol of before PSYNC',
  'no-backlog': 'there was no backlog: raise repl-backlog-ttl',
  'other-stream': 'it was following another stream',
  'backlog-short': 'the backlog did not reach back: raise repl-backlog-size',
  ahead: 'it had more of the stream than this server',
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
      about: 'replicas that went on from the backlog',
      count: counts.partial_syncs,
    },
    { what: 'full', about: 'replicas that were sent all data', count: counts.full_syncs },
    ...full,
    {
      what: 'refused',
      about: 'partial synchronisations that were asked for and could not be',
      count: counts.partial_syncs_refused,
    },
    {
      what: 'own, partial',
      about: 'as a replica: links on which the stream went on',
      count: counts.own_partial_syncs,
    },
    {
      what: 'own, full',
      about: 'as a replica: links that brought all data',
      count: counts.own_full_syncs,
    },
  ];
}

const columns: readonly Column<Row>[] = [
  { name: 'what', title: 'Kind', show: ({ what }) => what },
  { name: 'count', title: 'Count', isNumber: true, show: ({ count }) => whole(count) },
  { name: 'about', title: 'Meaning', isWide: true, show: ({ about }) => about },
];
