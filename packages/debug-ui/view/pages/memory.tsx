/** Memory: how much is used and how long it lasts, what is resident, and which keys and prefixes are the biggest. */

import type { JSX } from 'preact';
import type { Memory } from '../../model/api.ts';
import { age, bytes, dateTime, percent, whole } from '../../model/format.ts';
import { pageLink } from '../address.ts';
import { Fact, Panel } from '../parts.tsx';
import { usePolled } from '../source.ts';
import { MemoryTree } from './memory/memory-tree.tsx';
import { SampledKeys } from './memory/sampled-keys.tsx';

const PERIOD_MS = 5_000;

export function MemoryPage(): JSX.Element {
  const memory = usePolled<Memory>('/debug/api/memory', PERIOD_MS);
  return (
    <>
      <Panel title="Used memory" source={memory}>
        {memory.data !== null && <Used memory={memory.data} />}
      </Panel>
      <Panel
        title="Resident memory by purpose"
        source={memory}
        aside={<span class="faint">parts add up to the size of the process</span>}
      >
        {memory.data !== null && <MemoryTree root={memory.data.resident} />}
      </Panel>
      <SampledKeys />
    </>
  );
}

function Used({ memory }: { readonly memory: Memory }): JSX.Element {
  const { used_bytes: used, peak_bytes: peak, limit_bytes: limit } = memory;
  const [value, note] = forecastText(memory);
  const growth = memory.forecast;
  return (
    <>
      <dl class="facts">
        <Fact
          label="Used"
          value={bytes(used)}
          note={limit > 0 ? `${percent((100 * used) / limit)} of the limit` : 'no limit'}
        />
        <Fact label="Peak" value={bytes(peak)} note="of used memory" />
        <Fact
          label="Limit"
          value={limit > 0 ? bytes(limit) : 'none'}
          note={limit > 0 ? memory.policy : 'memory.maxmemory is 0'}
        />
        <Fact label="Evicted keys" value={whole(memory.evicted_keys)} />
        <Fact
          label="Growth"
          value={growth === null ? 'measuring' : `${signed(growth.bytes_per_sec)}/s`}
          note={growth === null ? 'for a minute' : `over ${age(growth.seconds)}`}
        />
        <Fact label="Full" value={value} note={note} />
      </dl>
      <p class="prose">
        <a href={pageLink('configuration', { filter: 'memory.' })}>Settings of memory</a>
      </p>
    </>
  );
}

function signed(value: number): string {
  return value < 0 ? `−${bytes(-value)}` : bytes(value);
}

/** Returns the time at which memory is full, or the reason why it is not known. */
function forecastText(memory: Memory): readonly [value: string, note: string] {
  const { forecast, limit_bytes: limit, time_ms: nowMs } = memory;
  if (limit === 0) return ['never', 'there is no limit'];
  if (forecast === null) return ['unknown', 'growth is not measured yet'];
  if (forecast.full_time_ms === null) return ['not in sight', 'no steady growth'];
  const leftSeconds = (forecast.full_time_ms - nowMs) / 1_000;
  if (leftSeconds <= 0) return ['now', memory.policy];
  return [`in ${age(leftSeconds)}`, `${dateTime(forecast.full_time_ms)} at this growth`];
}
