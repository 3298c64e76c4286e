/** Biggest keys and prefixes of a sample, which is taken on request. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { MemoryKeys, SampledKey, SampledPrefix } from '../../../model/api.ts';
import { visibleBytes, visibleKey } from '../../../model/escape.ts';
import { bytes, percent, whole } from '../../../model/format.ts';
import { get } from '../../browser.ts';
import { Bar, Done, MissingShards, Panel, Problem, useDoing } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

const KEYS = [100, 1_000] as const;

export function SampledKeys(): JSX.Element {
  const [sample, setSample] = useState<MemoryKeys | null>(null);
  const [count, setCount] = useState<number>(KEYS[1]);
  const doing = useDoing();
  const take = (): void =>
    doing.run(async () => {
      const { body } = await get<MemoryKeys>(`/debug/api/memory/keys?count=${count}`);
      setSample(body);
      return sampledText(body);
    });
  return (
    <Panel
      title="Biggest keys and prefixes"
      aside={
        <>
          <label>
            Keys of each shard{' '}
            <select
              value={String(count)}
              onChange={(event) => setCount(Number(event.currentTarget.value))}
            >
              {KEYS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <button type="button" class="primary" disabled={doing.isBusy} onClick={take}>
            Take a sample
          </button>
        </>
      }
    >
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      <MissingShards shards={sample?.missing_shards} missing="its keys" />
      {sample === null ? (
        <p class="empty">A sample takes each shard about a millisecond.</p>
      ) : (
        <SampleTables sample={sample} />
      )}
    </Panel>
  );
}

function SampleTables({ sample }: { readonly sample: MemoryKeys }): JSX.Element {
  return (
    <div class="grid two">
      <Table
        caption="Biggest keys"
        columns={keyColumns}
        rows={sample.biggest}
        keyOf={({ key, db, shard }) => `${shard} ${db} ${key}`}
        order={{ column: 'bytes', isDescending: true }}
        empty="No keys."
        rowsMax={20}
      />
      <Table
        caption="Biggest prefixes"
        columns={prefixColumns}
        rows={sample.prefixes}
        keyOf={({ prefix }) => prefix}
        order={{ column: 'bytes', isDescending: true }}
        empty="No keys."
        rowsMax={20}
      />
    </div>
  );
}

function sampledText({ keys, sampled_keys: sampled, complete }: MemoryKeys): string {
  if (complete) return `All ${whole(keys)} keys looked at: the sizes are exact.`;
  return `${whole(sampled)} random keys of ${whole(keys)} looked at: bigger keys may exist, and sizes of prefixes are estimates.`;
}

const keyColumns: readonly Column<SampledKey>[] = [
  {
    name: 'key',
    title: 'Key',
    isWide: true,
    value: ({ key }) => key,
    show: ({ key, binary, cut }) => (
      <span class="mono">
        {binary ? visibleBytes(key) : visibleKey(key)}
        {cut && '…'}
      </span>
    ),
  },
  { name: 'type', title: 'Type', value: ({ type }) => type, show: ({ type }) => type },
  { name: 'db', title: 'DB', isNumber: true, value: ({ db }) => db, show: ({ db }) => String(db) },
  {
    name: 'shard',
    title: 'Shard',
    isNumber: true,
    value: ({ shard }) => shard,
    show: ({ shard }) => String(shard),
  },
  {
    name: 'bytes',
    title: 'Size',
    isNumber: true,
    value: (key) => key.bytes,
    show: (key) => bytes(key.bytes),
  },
];

const prefixColumns: readonly Column<SampledPrefix>[] = [
  {
    name: 'prefix',
    title: 'Prefix',
    isWide: true,
    value: ({ prefix }) => prefix,
    show: ({ prefix, binary }) =>
      prefix === '' ? (
        <span class="faint">(without colon)</span>
      ) : (
        <span class="mono">{binary ? visibleBytes(prefix) : visibleKey(prefix)}</span>
      ),
  },
  {
    name: 'keys',
    title: 'Sampled',
    isNumber: true,
    value: (prefix) => prefix.sampled_keys,
    show: (prefix) => whole(prefix.sampled_keys),
  },
  {
    name: 'share',
    title: 'Share',
    isNumber: true,
    hint: 'Of the bytes of all sampled keys',
    value: (prefix) => prefix.percent,
    show: (prefix) => (
      <span class="metered">
        <Bar percent={prefix.percent} /> {percent(prefix.percent)}
      </span>
    ),
  },
  {
    name: 'bytes',
    title: 'Size',
    isNumber: true,
    value: (prefix) => prefix.bytes,
    show: (prefix) => bytes(prefix.bytes),
  },
];
