/** Diagnostic bundles: everything that is known, in one file, without secrets. */

import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { BundleEntry } from '../../model/api.ts';
import { age, bytes, dateTime } from '../../model/format.ts';
import { download, nowMs, save } from '../browser.ts';
import { usePolled } from '../source.ts';
import { ActionButton, ReadOnlyNote, useSession } from '../scope.tsx';
import { Done, Panel, Problem, useDoing } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';

const PERIOD_MS = 5_000;

const LIST = '/debug/api/bundle/list';
const SESSION = '/debug/api/session';

export function BundlesPage(): JSX.Element {
  const { data: session } = useSession();
  const mayList = session?.scope === 'all';
  // Viewers may have no bundles, nor their list: it is not asked for before it is known who looks.
  const list = usePolled<{ bundles?: BundleEntry[] }>(
    mayList ? LIST : SESSION,
    mayList ? PERIOD_MS : 0,
  );
  const doing = useDoing();
  const generate = (): void =>
    doing.run(async () => {
      const { blob, name } = await download('/debug/api/bundle/generate');
      save(blob, name);
      await list.again();
      return `${name}, ${bytes(blob.size)}, generated and downloaded.`;
    });
  return (
    <Panel
      title="Diagnostic bundles"
      source={list}
      aside={
        <ActionButton type="button" class="primary" disabled={doing.isBusy} onClick={generate}>
          Generate and download
        </ActionButton>
      }
    >
      <p class="prose">
        One archive with the status, effective configuration, metrics, slow commands, latency,
        clients, replication, the cluster, users, shards, removed keys, events of threads, traces
        and last log lines. Secrets are omitted. Old bundles are deleted by number and age.
      </p>
      <ReadOnlyNote />
      <Problem text={doing.problem} />
      {doing.isBusy && <Working />}
      <Done text={doing.done} />
      {list.data?.bundles !== undefined && (
        <Table
          caption="Bundles"
          columns={columns}
          rows={list.data.bundles}
          keyOf={({ id }) => id}
          order={{ column: 'created', isDescending: true }}
          empty="No bundles stored."
        />
      )}
    </Panel>
  );
}

function Working(): JSX.Element {
  const [start] = useState(nowMs);
  const [now, setNow] = useState(start);
  useEffect(() => {
    const timer = setInterval(() => setNow(nowMs()), 250);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="working">
      <progress aria-label="Generating" />
      <span role="status">Collecting from all threads…</span>
      {/* The running clock is hidden from screen readers, which would announce every second. */}
      <span aria-hidden="true">{((now - start) / 1_000).toFixed(1)} s</span>
    </p>
  );
}

/** The API may give times as text or as Unix seconds. */
function timeMs(time: string | number): number {
  return typeof time === 'number' ? time * 1_000 : Date.parse(time);
}

const columns: readonly Column<BundleEntry>[] = [
  { name: 'id', title: 'Id', value: ({ id }) => id, show: ({ id }) => <code>{id}</code> },
  {
    name: 'created',
    title: 'Created',
    value: (bundle) => timeMs(bundle.created_at),
    isNumber: true,
    show: (bundle) => dateTime(timeMs(bundle.created_at)),
  },
  {
    name: 'size',
    title: 'Size',
    value: (bundle) => bundle.size_bytes,
    isNumber: true,
    show: (bundle) => bytes(bundle.size_bytes),
  },
  {
    name: 'expires',
    title: 'Kept for',
    value: (bundle) => timeMs(bundle.expires_at),
    isNumber: true,
    show: (bundle) => age((timeMs(bundle.expires_at) - timeMs(bundle.created_at)) / 1_000),
  },
  {
    name: 'download',
    title: '',
    show: ({ id }) => (
      <a
        href={`/debug/api/bundle/${encodeURIComponent(id)}`}
        download
        aria-label={`Download bundle ${id}`}
      >
        Download
      </a>
    ),
  },
];
