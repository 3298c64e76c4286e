/** Time spent: over the last minutes, in the slowest commands, by command and by thread. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useLiveView } from '../live.ts';
import { Bands } from './performance/bands.tsx';
import { Commands } from './performance/commands.tsx';
import { Events } from './performance/events.tsx';
import { FlightRecorder } from './performance/flight.tsx';
import { Percentiles } from './performance/percentiles.tsx';
import { Slowlog } from './performance/slowlog.tsx';
import { Threads } from './performance/threads.tsx';
import { LatencyWindows } from './performance/windows.tsx';

const VIEW = 'with=times,bands';

export function PerformancePage(): JSX.Element {
  const [shard, setShard] = useState('all');
  const live = useLiveView(shard === 'all' ? VIEW : `${VIEW}&shard=${shard}`);
  return (
    <>
      <Percentiles live={live} shard={shard} choose={setShard} />
      <div class="columns">
        <Bands live={live} />
        <LatencyWindows />
        <Commands />
        <Events />
      </div>
      <Slowlog />
      <Threads />
      <FlightRecorder />
    </>
  );
}
