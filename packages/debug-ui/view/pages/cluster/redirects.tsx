/** Commands not executed on this node because of their slots, by reply and client library. */

import type { JSX } from 'preact';
import type { LibraryRedirects } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { whole } from '../../../model/format.ts';
import { Table, type Column } from '../../table.tsx';

interface RedirectsProps {
  readonly all: Omit<LibraryRedirects, 'library'>;
  readonly libraries: readonly LibraryRedirects[];
}

export function Redirects({ all, libraries }: RedirectsProps): JSX.Element {
  return (
    <Table
      caption="Redirects by library"
      columns={columns}
      rows={[{ library: 'all', ...all }, ...libraries]}
      keyOf={({ library }) => library}
      rowsMax={40}
    />
  );
}

const kind = (
  name: Exclude<keyof LibraryRedirects, 'library'>,
  title: string,
  hint: string,
): Column<LibraryRedirects> => ({
  name,
  title,
  hint,
  isNumber: true,
  value: (row) => row[name],
  show: (row) => whole(row[name]),
});

const columns: readonly Column<LibraryRedirects>[] = [
  {
    name: 'library',
    title: 'Library',
    isWide: true,
    hint: 'as set by CLIENT SETINFO',
    value: ({ library }) => library,
    show: ({ library }) => visible(library),
  },
  kind('moved', 'MOVED', 'another node serves the slot'),
  kind('ask', 'ASK', 'the key has already moved to another node'),
  kind('tryagain', 'TRYAGAIN', 'some of the keys have already moved'),
  kind('crossslot', 'CROSSSLOT', 'the keys belong to several slots'),
  kind('clusterdown', 'CLUSTERDOWN', 'the slot is not served, or the lease is uncertain'),
];
