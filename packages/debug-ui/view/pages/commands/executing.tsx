/** Commands that shards are executing, with their clients and keys. */

import type { JSX } from 'preact';
import type { ShardExecuting } from '../../../model/api.ts';
import { visible, visibleKey } from '../../../model/escape.ts';
import { micros, NONE } from '../../../model/format.ts';
import { pageLink } from '../../address.ts';
import { Table, type Column } from '../../table.tsx';

export function ExecutingTable({
  rows,
}: {
  readonly rows: readonly ShardExecuting[];
}): JSX.Element {
  return (
    <Table
      caption="Commands that run now"
      columns={columns}
      rows={rows}
      keyOf={({ shard }) => shard}
      empty="No shard is executing a command at this moment."
    />
  );
}

const columns: readonly Column<ShardExecuting>[] = [
  {
    name: 'shard',
    title: 'Shard',
    isNumber: true,
    value: ({ shard }) => shard,
    show: ({ shard }) => <a href={pageLink('shards', { shard: String(shard) })}>{shard}</a>,
  },
  {
    name: 'command',
    title: 'Command',
    value: ({ command }) => command,
    show: ({ command }) => <code>{command}</code>,
  },
  {
    name: 'script',
    title: 'Script or function',
    value: ({ script }) => script,
    show: ({ script }) =>
      script === null ? (
        NONE
      ) : (
        <a class="mono" href={pageLink('scripts', { sha: script })}>
          {visible(script, 12)}
        </a>
      ),
  },
  {
    name: 'key',
    title: 'Key',
    isWide: true,
    value: ({ key }) => key,
    show: ({ key }) => (key === null ? NONE : <span class="mono">{visibleKey(key)}</span>),
  },
  {
    name: 'client',
    title: 'Client',
    isNumber: true,
    value: (executing) => executing.client_id,
    show: ({ client_id: id }) =>
      id === null ? NONE : <a href={pageLink('clients', { id: String(id) })}>#{id}</a>,
  },
  {
    name: 'elapsed',
    title: 'For',
    isNumber: true,
    value: (executing) => executing.elapsed_us,
    show: (executing) => micros(executing.elapsed_us),
  },
];
