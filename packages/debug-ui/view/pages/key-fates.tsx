/** Removed keys, with the reason and the command of each. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { KeyFates } from '../../model/api.ts';
import { visibleBytes, visibleKey } from '../../model/escape.ts';
import { fatesPath, MEANINGS, type KeyPlace } from '../../model/fates.ts';
import { percent, whole } from '../../model/format.ts';
import { usePolled, type Polled } from '../source.ts';
import { Bar, Panel } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';
import { RemovedKeys, LookUp } from './key-fates/removed-keys.tsx';
import { Recording } from './key-fates/recording.tsx';

const PERIOD_MS = 2_000;
const REMOVED_KEYS_MAX = 500;

export function KeyFatesPage(): JSX.Element {
  const [place, setPlace] = useState<KeyPlace | null>(null);
  const fates = usePolled<KeyFates>(fatesPath(REMOVED_KEYS_MAX, place), PERIOD_MS);
  return (
    <>
      <Reasons fates={fates} />
      <Recording fates={fates} />
      <Panel title="Look up a key">
        <LookUp choose={setPlace} />
      </Panel>
      {place !== null && <Chosen place={place} close={() => setPlace(null)} />}
      <RemovedKeys fates={fates} place={place} choose={setPlace} />
    </>
  );
}

interface ReasonRow {
  readonly reason: string;
  readonly keys: number;
  readonly share: number;
}

function Reasons({ fates }: { readonly fates: Polled<KeyFates> }): JSX.Element {
  const counts = fates.data?.counts ?? {};
  const all = Object.values(counts).reduce((sum, keys) => sum + keys, 0);
  const rows = Object.entries(counts).map(([reason, keys]) => ({
    reason,
    keys,
    share: all === 0 ? 0 : (100 * keys) / all,
  }));
  return (
    <Panel
      title="Removed keys by reason"
      source={fates}
      aside={<span class="faint">since the start or CONFIG RESETSTAT</span>}
    >
      <Table
        caption="Removed keys by reason"
        columns={reasonColumns}
        rows={rows}
        keyOf={({ reason }) => reason}
      />
    </Panel>
  );
}

const reasonColumns: readonly Column<ReasonRow>[] = [
  {
    name: 'reason',
    title: 'Reason',
    value: ({ reason }) => reason,
    show: ({ reason }) => <span class="mono">{reason}</span>,
  },
  {
    name: 'keys',
    title: 'Keys',
    isNumber: true,
    value: ({ keys }) => keys,
    show: ({ keys }) => <b>{whole(keys)}</b>,
  },
  {
    name: 'share',
    title: 'Share',
    isNumber: true,
    value: ({ share }) => share,
    show: ({ share }) => (
      <span class="metered">
        <Bar percent={share} /> {percent(share)}
      </span>
    ),
  },
  {
    name: 'meaning',
    title: 'Meaning',
    isWide: true,
    show: ({ reason }) => MEANINGS[reason] ?? '',
  },
];

interface ChosenProps {
  readonly place: KeyPlace;
  readonly close: () => void;
}

function Chosen({ place: { key, binary, db }, close }: ChosenProps): JSX.Element {
  return (
    <p class="chosen" role="status">
      Only removals of <b class="mono">{binary ? visibleBytes(key) : visibleKey(key)}</b> in
      database {db}, and flushes of that database.{' '}
      <button type="button" onClick={close}>
        All keys
      </button>
    </p>
  );
}
