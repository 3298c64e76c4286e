/** Groups of nodes with their slots, and slots that are on their way. */

import type { JSX } from 'preact';
import type { ClusterGroup, OpenSlot } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { count, micros, NONE, whole } from '../../../model/format.ts';
import { colourOfGroup, rangesInWords } from '../../../model/cluster/slots.ts';
import { Badge } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

interface GroupsProps {
  readonly groups: readonly ClusterGroup[];
  readonly open: readonly OpenSlot[];
}

interface Row {
  readonly group: ClusterGroup;
  readonly index: number;
}

export function Groups({ groups, open }: GroupsProps): JSX.Element {
  const numbers = new Map(groups.map(({ id }, index) => [id, index + 1]));
  return (
    <>
      <Table
        caption="Groups"
        columns={columns}
        rows={groups.map((group, index) => ({ group, index }))}
        keyOf={({ group }) => group.id}
        empty="This node has no group yet."
      />
      {open.length > 0 && (
        <Table
          caption="Open slots"
          columns={openColumns(numbers)}
          rows={open}
          keyOf={({ slot }) => slot}
          rowsMax={50}
        />
      )}
    </>
  );
}

const columns: readonly Column<Row>[] = [
  {
    name: 'number',
    title: 'Group',
    value: ({ index }) => index,
    show: ({ group, index }) => (
      <span title={group.id}>
        <i class={`key ${colourOfGroup(index)}`} aria-hidden="true" /> {index + 1}
      </span>
    ),
  },
  {
    name: 'primary',
    title: 'Primary',
    value: ({ group }) => group.primary,
    show: ({ group }) => <code title={group.primary}>{group.primary.slice(0, 8)}</code>,
  },
  {
    name: 'state',
    title: 'State',
    value: ({ group }) => group.without_primary_ms ?? -1,
    show: ({ group }) =>
      group.without_primary_ms === null ? (
        <Badge tone="good" text="served" />
      ) : (
        <Badge tone="bad" text={`no primary for ${micros(1_000 * group.without_primary_ms)}`} />
      ),
  },
  {
    name: 'replicas',
    title: 'Replicas',
    isNumber: true,
    value: ({ group }) => group.replicas.length,
    show: ({ group }) => whole(group.replicas.length),
  },
  {
    name: 'slots',
    title: 'Slots',
    isNumber: true,
    value: ({ group }) => group.slots,
    show: ({ group }) => whole(group.slots),
  },
  {
    name: 'keys',
    title: 'Keys',
    isNumber: true,
    hint: 'last DBSIZE reply of the primary',
    value: ({ group }) => group.keys ?? -1,
    show: ({ group }) => (group.keys === null ? NONE : count(group.keys)),
  },
  {
    name: 'epoch',
    title: 'Epoch',
    isNumber: true,
    value: ({ group }) => group.epoch,
    show: ({ group }) => whole(group.epoch),
  },
  {
    name: 'ranges',
    title: 'Ranges',
    isWide: true,
    show: ({ group }) => rangesInWords(group.ranges) || NONE,
  },
  {
    name: 'reason',
    title: 'Primary since',
    hint: 'reason of the last change of the primary',
    value: ({ group }) => group.reason,
    show: ({ group }) => visible(group.reason),
  },
];

function openColumns(numbers: ReadonlyMap<string, number>): readonly Column<OpenSlot>[] {
  const named = (id: string | null): string =>
    id === null ? NONE : `group ${numbers.get(id) ?? id.slice(0, 8)}`;
  return [
    {
      name: 'slot',
      title: 'Open slot',
      isNumber: true,
      value: ({ slot }) => slot,
      show: ({ slot }) => slot,
    },
    { name: 'owner', title: 'Owner', show: ({ owner }) => named(owner) },
    { name: 'to', title: 'Migrating to', show: (open) => named(open.migrating_to) },
    { name: 'by', title: 'Imported by', show: (open) => named(open.imported_by) },
  ];
}
