/** Link of a replica to its primary: its state with when and why, the lag, and the data that are coming. */

import type { JSX } from 'preact';
import type { PrimaryLinkState } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import {
  bytes,
  clockTime,
  count,
  exactTime,
  micros,
  NONE,
  percent,
  whole,
} from '../../../model/format.ts';
import { Bar, Fact } from '../../parts.tsx';

export function PrimaryLink({ primary }: { readonly primary: PrimaryLinkState }): JSX.Element {
  const isUp = primary.state === 'connected';
  return (
    <>
      <dl class="facts">
        <Fact label="Primary" value={visible(primary.host)} note={`port ${primary.port}`} />
        <Fact
          label="State"
          value={primary.state}
          tone={isUp ? 'good' : 'warn'}
          note={`since ${clockTime(primary.state_since_ms)}`}
        />
        <Fact
          label="Behind"
          value={primary.lag_ms === null ? NONE : micros(1_000 * primary.lag_ms)}
          note={lagNote(primary)}
        />
        <Fact label="Offset" value={count(Math.max(0, primary.offset))} />
        <Fact label="Received" value={bytes(primary.bytes_received)} />
        <Fact label="Last data" value={micros(1_000 * primary.silent_ms)} note="ago" />
      </dl>
      <p class="prose">
        Reason: {visible(primary.state_reason)}.
        {primary.last_failure !== null && <> Last failure: {visible(primary.last_failure)}.</>}
      </p>
      {primary.sync !== null && <Progress sync={primary.sync} />}
    </>
  );
}

function lagNote({ lag_ms: ms, lag_time_ms: timeMs }: PrimaryLinkState): string {
  return ms === null ? 'no timestamps received' : `as of ${clockTime(timeMs)}`;
}

type Sync = NonNullable<PrimaryLinkState['sync']>;

function Progress({ sync }: { readonly sync: Sync }): JSX.Element {
  const total = sync.total_bytes === null ? 'an unknown total' : bytes(sync.total_bytes);
  return (
    <div role="group" aria-label="Progress of the full sync">
      {sync.percent !== null && <Bar percent={sync.percent} />}
      <p class="prose">
        Full sync since {exactTime(sync.started_ms)}: {whole(sync.keys)} keys,{' '}
        {bytes(sync.received_bytes)} of {total}
        {sync.percent !== null && <> ({percent(sync.percent)})</>}.
      </p>
    </div>
  );
}
