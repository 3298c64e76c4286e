import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  FLIGHT_KINDS,
  flightRecorder,
  LONG_PAUSE_US,
  notesPauses,
  Tally,
  type FlightKind,
} from './flight-recorder.ts';

const recorder = suite('flight recorder');

/** Numbers that a record has room for. */
const NUMBERS = 4;

recorder('every kind has a name of its own, a sentence, and room for its numbers', () => {
  const kinds: readonly FlightKind[] = FLIGHT_KINDS;
  assert.is(new Set(kinds.map(({ event }) => event)).size, kinds.length);
  for (const { event, about, fields } of kinds) {
    assert.match(event, /^[a-z-]+$/);
    assert.match(about, /^[A-Z].*\.$/);
    assert.ok(fields.length <= NUMBERS);
    for (const { name } of fields) assert.match(name, /^[a-z_]+$/);
    assert.is(
      new Set(['time_us', 'thread', 'event', ...fields.map(({ name }) => name)]).size,
      fields.length + 3,
    );
  }
});

recorder('the numbers of kinds stay what they are', () => {
  assert.equal(
    FLIGHT_KINDS.map(({ event }) => event),
    [
      ...['slow-batch', 'full-ring', 'gc-pause', 'eviction-cycle', 'connections-refused'],
      ...['config-change', 'slow-sync', 'snapshot', 'snapshot-failed', 'log-failed', 'log-healed'],
      ...['role-change', 'primary-link', 'replica-state', 'sync-begin', 'sync-end', 'sync-failed'],
      ...['cluster-failover', 'cluster-change'],
    ],
  );
});

recorder('only long pauses are notable', () => {
  const records: unknown[] = [];
  const note = notesPauses(flightRecorder({ record: (...record) => records.push(record) }));
  note(10, LONG_PAUSE_US, 0);
  note(20, LONG_PAUSE_US + 1, 1);
  assert.equal(records, [[2, 20, [LONG_PAUSE_US + 1, 1]]]);
});

recorder('what comes often is told once a second, and nothing is lost', () => {
  const reported: number[][] = [];
  const tally = new Tally((...numbers) => reported.push(numbers));
  tally.add(1_000_000, 1, 10);
  for (let nth = 0; nth < 5; nth += 1) tally.add(1_100_000, 2, 20);
  tally.add(2_000_000, 3);
  tally.add(9_000_000, 4, 5);
  assert.equal(reported, [
    [1_000_000, 1, 10],
    [2_000_000, 13, 100],
    [9_000_000, 4, 5],
  ]);
});

recorder.run();
