/** The last removed keys; each leads to all that is remembered of it. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { RemovedKey, KeyFates } from '../../../model/api.ts';
import { visible, visibleBytes, visibleKey } from '../../../model/escape.ts';
import { MEANINGS, type KeyPlace } from '../../../model/fates.ts';
import { counted, exactTime, NONE, whole } from '../../../model/format.ts';
import { missingText } from '../../../model/missing-shards.ts';
import { filtered } from '../../../model/sorting.ts';
import { Filter, Panel } from '../../parts.tsx';
import type { Polled } from '../../source.ts';
import { Table, type Column } from '../../table.tsx';

interface RemovedKeysProps {
  readonly fates: Polled<KeyFates>;
  /** The only key that is shown; null shows all. */
  readonly place: KeyPlace | null;
  readonly choose: (place: KeyPlace) => void;
}

export function RemovedKeys({ fates, place, choose }: RemovedKeysProps): JSX.Element {
  const [filter, setFilter] = useState('');
  const { data } = fates;
  const all = data?.removed_keys ?? [];
  const rows = filtered(all, filter, textOf);
  return (
    <Panel
      title={
        data === null
          ? 'Removed keys'
          : `${whole(rows.length)} of ${counted(all.length, 'removed key')}`
      }
      source={fates}
      aside={<Filter label="Filter removed keys" value={filter} change={setFilter} />}
    >
      {data !== null && <Gaps fates={data} />}
      <Table
        caption="Removed keys"
        columns={columnsFor(choose)}
        rows={rows}
        keyOf={({ id }) => id}
        order={{ column: 'time', isDescending: true }}
        empty={emptyText({ fates: data, isFiltered: all.length > 0, place })}
        rowsMax={50}
      />
    </Panel>
  );
}

interface EmptyQuestion {
  readonly fates: KeyFates | null;
  readonly isFiltered: boolean;
  readonly place: KeyPlace | null;
}

function emptyText({ fates, isFiltered, place }: EmptyQuestion): string {
  if (isFiltered) return 'No removed key matches.';
  if (fates?.recording.enabled === false) return 'Removed keys are not recorded.';
  return place === null ? 'No keys removed yet.' : 'No recorded removals of this key.';
}

/** Lists what is missing, so that the table is not taken as complete. */
function Gaps({ fates }: { readonly fates: KeyFates }): JSX.Element | null {
  const { kept, missing_shards: shards } = fates;
  const texts = [
    ...(kept === null
      ? ['The main thread did not reply in time: only the counts are current.']
      : []),
    ...(shards.length === 0 ? [] : [missingText(shards, 'its removed keys')]),
  ];
  if (texts.length === 0) return null;
  return <p class="issue warn">{texts.join(' ')}</p>;
}

/** A separate form that is always shown: for a key that is not in the table. */
export function LookUp({ choose }: Pick<RemovedKeysProps, 'choose'>): JSX.Element {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const key = form.get('key');
        if (typeof key === 'string') choose({ key, binary: false, db: Number(form.get('db')) });
      }}
    >
      <label>
        What happened to the key
        <input name="key" spellcheck={false} autocomplete="off" />
      </label>
      <label>
        in database
        <input type="number" name="db" min="0" defaultValue="0" required />
      </label>
      <button>Look up</button>
    </form>
  );
}

function textOf(removed: RemovedKey): string {
  const { key, reason, command, client_addr: address, client_name: name, user } = removed;
  return [key, reason, command, address, name, user].join(' ');
}

function columnsFor(choose: RemovedKeysProps['choose']): readonly Column<RemovedKey>[] {
  return [
    {
      name: 'time',
      title: 'Time',
      isNumber: true,
      value: (removed) => removed.time_ms,
      show: (removed) => <span class="time">{exactTime(removed.time_ms)}</span>,
    },
    {
      name: 'key',
      title: 'Key',
      isWide: true,
      value: ({ key }) => key,
      show: (removed) => <Key removed={removed} choose={choose} />,
    },
    ...columns,
  ];
}

interface KeyProps {
  readonly removed: RemovedKey;
  readonly choose: RemovedKeysProps['choose'];
}

function Key({ removed, choose }: KeyProps): JSX.Element {
  const { key, binary, cut, db, keys, key_bytes: bytes } = removed;
  if (key === null) {
    const all = keys === 1 ? 'the only key' : `all ${whole(keys)} keys`;
    return <span class="faint">{all} of the database there</span>;
  }
  const shown = binary ? visibleBytes(key) : visibleKey(key);
  // The whole of a long key is not known here, so nothing more can be asked about it.
  if (cut) {
    return (
      <span class="mono">
        {shown}… <small>({whole(bytes)} bytes)</small>
      </span>
    );
  }
  return (
    <button
      type="button"
      class="link mono"
      title="All recorded removals of this key"
      onClick={() => choose({ key, binary, db })}
    >
      {shown}
    </button>
  );
}

const columns: readonly Column<RemovedKey>[] = [
  {
    name: 'reason',
    title: 'Reason',
    value: ({ reason }) => reason,
    show: ({ reason }) => <code title={MEANINGS[reason]}>{reason}</code>,
  },
  {
    name: 'command',
    title: 'Command',
    value: ({ command }) => command,
    show: ({ command }) =>
      command === null ? (
        <span class="faint">the shard itself</span>
      ) : (
        <span class="mono">{command}</span>
      ),
  },
  { name: 'db', title: 'DB', isNumber: true, value: ({ db }) => db, show: ({ db }) => db },
  {
    name: 'shard',
    title: 'Shard',
    isNumber: true,
    value: ({ shard }) => shard,
    show: ({ shard }) => shard,
  },
  {
    name: 'client',
    title: 'Client',
    isWide: true,
    value: (removed) => removed.client_addr,
    show: ({ client_addr: address, client_name: name, user }) =>
      address === null ? (
        NONE
      ) : (
        <span class="mono">
          {visible(address)} {name !== null && name !== '' && <b>{visible(name, 64)}</b>}{' '}
          {user !== null && user !== 'default' && <small>{visible(user, 64)}</small>}
        </span>
      ),
  },
];
