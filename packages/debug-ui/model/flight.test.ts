/** Events of the flight recorder in words. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FlightEntry } from './api.ts';
import { detailsOf, durationOf } from './flight.ts';

const flight = suite('events of the flight recorder');

const head = { time_ms: 1, thread: 'shard-0' };

const cases: readonly (readonly [entry: FlightEntry, details: string, us: number | null])[] = [
  [
    { ...head, event: 'slow-batch', duration_us: 7_000.5, frames: 3, command: 'debug|sleep' },
    'frames 3, command debug|sleep',
    7_000.5,
  ],
  [
    { ...head, event: 'connections-refused', refused: 1, connected: 12_345, max_clients: 2 },
    'refused 1, connected 12,345, max clients 2',
    null,
  ],
  [
    { ...head, event: 'config-change', setting: 'slowlog.max-len', value: 77 },
    'setting slowlog.max-len, value 77',
    null,
  ],
  [{ ...head, event: 'config-change', setting: 'a', value: null }, 'setting a', null],
  [{ ...head, event: 'snapshot', bytes: 2_048, wait_us: 1_500 }, 'bytes 2 KiB, wait 1.50 ms', null],
];
for (const [entry, details, us] of cases) {
  flight(`${entry.event}: ${details}`, () => {
    assert.equal([detailsOf(entry), durationOf(entry)], [details, us]);
  });
}

flight.run();
