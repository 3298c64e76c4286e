/** Resident memory as a tree; each row has its share of the whole. */

import type { JSX } from 'preact';
import type { MemoryPart } from '../../../model/api.ts';
import { bytes, percent } from '../../../model/format.ts';
import { flattened, type TreeRow } from '../../../model/storage/memory-rows.ts';
import { Bar } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

export function MemoryTree({ root }: { readonly root: MemoryPart }): JSX.Element {
  return (
    <Table
      caption="Resident memory by purpose"
      columns={columnsFor(root.bytes)}
      rows={flattened(root)}
      keyOf={({ path }) => path}
    />
  );
}

function columnsFor(wholeBytes: number): readonly Column<TreeRow>[] {
  return [
    {
      name: 'name',
      title: 'Purpose',
      show: ({ name, depth }) => (
        <span class="level" style={{ paddingLeft: `${16 * depth}px` }} data-depth={depth}>
          {name}
        </span>
      ),
    },
    {
      name: 'bytes',
      title: 'Size',
      isNumber: true,
      show: (row) => (row.bytes < 0 ? `−${bytes(-row.bytes)}` : bytes(row.bytes)),
    },
    {
      name: 'share',
      title: 'Share',
      isNumber: true,
      show: (row) => {
        const share = wholeBytes > 0 ? (100 * row.bytes) / wholeBytes : 0;
        return (
          <span class="metered">
            <Bar percent={share} /> {percent(Math.max(0, share))}
          </span>
        );
      },
    },
    {
      name: 'about',
      title: 'Meaning',
      isWide: true,
      show: ({ about }) => <span class="prose">{about ?? ''}</span>,
    },
  ];
}
