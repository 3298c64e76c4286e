/** Where time goes: over the last minutes, in the slowest commands, by command and by thread. */

import type { JSX } from 'preact';
import { Bands } from './performance/bands.tsx';
import { Commands } from './performance/commands.tsx';
import { Events } from './performance/events.tsx';
import { FlightRecorder } from './performance/flight.tsx';
import { Percentiles } from './performance/percentiles.tsx';
import { Slowlog } from './performance/slowlog.tsx';
import { Threads } from './performance/threads.tsx';
import { LatencyWindows } from './performance/windows.tsx';

export function PerformancePage(): JSX.Element {
  return (
    <>
      <Percentiles />
      <Bands />
      <Slowlog />
      <LatencyWindows />
      <Commands />
      <Events />
      <Threads />
      <FlightRecorder />
    </>
  );
}
