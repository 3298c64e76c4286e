/** The slow commands, and those with a large request or reply, each with the phases its time was spent in. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Slowlog as SlowlogDocument, SlowlogEntry } from '../../../model/api.ts';
import { visible, visibleCommand } from '../../../model/escape.ts';
import { bytes, dateTime, micros, NONE } from '../../../model/format.ts';
import { filtered } from '../../../model/sorting.ts';
import { post } from '../../browser.ts';
import { usePolled } from '../../source.ts';
import { ActionButton } from '../../scope.tsx';
import { Confirm, Done, Filter, MissingShards, Panel, Problem, useDoing } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

const PERIOD_MS = 2_000;

type Kind = SlowlogDocument['kind'];

/** Each kind of log: its name among the choices, and what its being empty means. */
const KINDS: Readonly<Record<Kind, { readonly name: string; readonly empty: string }>> = {
  slow: { name: 'slow', empty: 'No command was slower than slowlog.log-slower-than.' },
  'large-request': {
    name: 'large requests',
    empty: 'No request was larger than commandlog.request-larger-than.',
  },
  'large-reply': {
    name: 'large replies',
    empty: 'No reply was larger than commandlog.reply-larger-than.',
  },
};

export function Slowlog(): JSX.Element {
  const [kind, setKind] = useState<Kind>('slow');
  const slowlog = usePolled<SlowlogDocument>(`/debug/api/slowlog?kind=${kind}`, PERIOD_MS);
  const [filter, setFilter] = useState('');
  const [isAsking, setAsking] = useState(false);
  const doing = useDoing();
  // After a change of the kind, until its entries are there.
  const all = slowlog.data?.kind === kind ? slowlog.data.entries : [];
  const rows = filtered(all, filter, textOf);
  return (
    <Panel
      title="Slow commands"
      source={slowlog}
      aside={
        <>
          <KindChoice kind={kind} choose={setKind} />
          <Filter label="Filter slow commands" value={filter} change={setFilter} />
          <ActionButton type="button" disabled={all.length === 0} onClick={() => setAsking(true)}>
            Clear
          </ActionButton>
        </>
      }
    >
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      <Missing of={slowlog.data} />
      <Table
        caption="Slow commands"
        columns={kind === 'slow' ? columns : sizeColumns}
        rows={rows}
        keyOf={({ id }) => id}
        order={{ column: 'id', isDescending: true }}
        empty={all.length > 0 ? 'No entry matches.' : KINDS[kind].empty}
        rowsMax={25}
      />
      {isAsking && (
        <Confirm
          title={`Clear the log (${KINDS[kind].name})?`}
          action="Clear"
          close={() => setAsking(false)}
          confirm={() =>
            doing.run(async () => {
              await post('/debug/api/slowlog/reset', { kind });
              await slowlog.again();
              return `Log cleared (${KINDS[kind].name}).`;
            })
          }
        >
          <p>Its entries are deleted for all users of this server.</p>
        </Confirm>
      )}
    </Panel>
  );
}

interface KindChoiceProps {
  readonly kind: Kind;
  readonly choose: (kind: Kind) => void;
}

function KindChoice({ kind, choose }: KindChoiceProps): JSX.Element {
  return (
    <label>
      Log{' '}
      <select value={kind} onChange={(event) => choose(event.currentTarget.value as Kind)}>
        {Object.entries(KINDS).map(([value, { name }]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function textOf({ command, args, client_addr: address, client_name: name }: SlowlogEntry): string {
  return `${command} ${args.join(' ')} ${address} ${name}`;
}

const columns: readonly Column<SlowlogEntry>[] = [
  { name: 'id', title: 'Id', isNumber: true, value: ({ id }) => id, show: ({ id }) => id },
  {
    name: 'time',
    title: 'Time',
    isNumber: true,
    value: ({ timestamp }) => timestamp,
    show: ({ timestamp }) => dateTime(timestamp * 1_000),
  },
  {
    name: 'duration',
    title: 'Execute',
    isNumber: true,
    value: (entry) => entry.duration_us,
    show: (entry) => <b>{micros(entry.duration_us)}</b>,
  },
  {
    name: 'queue',
    title: 'Queue',
    isNumber: true,
    value: (entry) => entry.queue_us,
    show: (entry) => micros(entry.queue_us),
  },
  {
    name: 'durable',
    title: 'Durable',
    isNumber: true,
    value: (entry) => entry.durable_us,
    show: (entry) => (entry.durable_us === 0 ? NONE : micros(entry.durable_us)),
  },
  { name: 'phases', title: 'Phases', show: (entry) => <Phases entry={entry} /> },
  {
    name: 'shard',
    title: 'Shard',
    isNumber: true,
    value: ({ shard }) => shard,
    show: ({ shard }) => shard ?? 'main',
  },
  {
    name: 'command',
    title: 'Command',
    isWide: true,
    value: ({ command, args }) => `${command} ${args.join(' ')}`,
    show: ({ command, args }) => <span class="mono">{visibleCommand([command, ...args])}</span>,
  },
  {
    name: 'client',
    title: 'Client',
    isWide: true,
    value: (entry) => entry.client_addr,
    show: (entry) => (
      <span class="mono">
        {visible(entry.client_addr)}{' '}
        {entry.client_name !== '' && <b>{visible(entry.client_name, 64)}</b>}
      </span>
    ),
  },
];

const sizeColumns: readonly Column<SlowlogEntry>[] = [
  ...columns.slice(0, 2),
  {
    name: 'size',
    title: 'Size',
    isNumber: true,
    value: (entry) => entry.size_bytes ?? 0,
    show: (entry) => <b>{bytes(entry.size_bytes)}</b>,
  },
  ...columns.slice(2),
];

function Phases({ entry }: { readonly entry: SlowlogEntry }): JSX.Element {
  const { queue_us: queue, fetch_us: fetch, duration_us: execute, durable_us: durable } = entry;
  const whole = Math.max(1, queue + fetch + execute + durable);
  const parts = [
    ['queue', queue],
    ['fetch', fetch],
    ['execute', execute],
    ['durable', durable],
  ] as const;
  const words = parts.map(([name, us]) => `${name} ${micros(us)}`).join(', ');
  return (
    <span class="phases" role="img" aria-label={words} title={words}>
      {parts.map(([name, us]) => (
        <i key={name} class={name} style={{ width: `${(100 * us) / whole}%` }} />
      ))}
    </span>
  );
}

/** Names the threads whose entries are missing. */
function Missing({ of: slowlog }: { readonly of: SlowlogDocument | null }): JSX.Element | null {
  if (slowlog?.main_missing !== true) {
    return <MissingShards shards={slowlog?.missing_shards} missing="its entries" />;
  }
  return (
    <p class="issue warn">
      The main thread did not reply: its own entries, and the latest ones of the shards, are
      missing.
    </p>
  );
}
