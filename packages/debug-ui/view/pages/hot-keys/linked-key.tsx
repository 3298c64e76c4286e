/** The key that a link has named: its use in the last window and in the session. */

import type { JSX } from 'preact';
import type { HotKeysReport, HotWindowReport } from '../../../model/api.ts';
import { visibleKey } from '../../../model/escape.ts';
import { count, micros, NONE, rate } from '../../../model/format.ts';
import { useParameter } from '../../address.ts';
import { Detail } from '../../detail.tsx';
import { Fact } from '../../parts.tsx';
import { usePolled } from '../../source.ts';

const PERIOD_MS = 1_000;

export function LinkedKey(): JSX.Element | null {
  const [key, choose] = useParameter('key');
  return key === null ? null : <KeyDetail key={key} name={key} close={() => choose(null)} />;
}

interface KeyDetailProps {
  readonly name: string;
  readonly close: () => void;
}

function KeyDetail({ name, close }: KeyDetailProps): JSX.Element {
  const session = usePolled<HotKeysReport>('/debug/api/hotkeys', PERIOD_MS);
  const window = usePolled<HotWindowReport>('/debug/api/hotkeys/window', PERIOD_MS);
  const ranked = session.data?.keys.find(({ key }) => key === name);
  const recent = window.data?.window?.keys.find(({ key }) => key === name);
  return (
    <Detail title="Key" close={close}>
      <p class="mono">{visibleKey(name)}</p>
      {ranked === undefined && recent === undefined && (
        <p class="prose">
          It is neither in the session nor in the last window: start a session to measure it.
        </p>
      )}
      <dl class="facts">
        <Fact label="Last window" value={recent === undefined ? NONE : rate(recent.ops_per_sec)} />
        <Fact
          label="Session: accesses"
          value={ranked === undefined ? NONE : count(ranked.access_count)}
        />
        <Fact
          label="Session: time"
          value={ranked === undefined ? NONE : micros(ranked.total_cpu_time_us)}
        />
      </dl>
    </Detail>
  );
}
