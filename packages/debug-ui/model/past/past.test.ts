import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Past } from '../api.ts';
import { columnsFor, hashOf, moved, runsOf, viewOf, zoomed } from './past.ts';

const past = suite('model of the history');

const DEFAULT = { seconds: 900, toMs: null, compare: 0, kind: '', level: '' };

function document(values: Readonly<Record<string, readonly (number | null)[]>>): Past {
  const steps = Object.values(values)[0]!.length;
  return {
    from_time_ms: 1_000_000,
    to_time_ms: 1_000_000 + steps * 10_000,
    step_seconds: 10,
    sample_seconds: [10],
    steps,
    command: null,
    error: null,
    series: Object.entries(values).map(([name, each]) => {
      return { name, thread: null, kind: 'gauge', unit: 'count', values: each };
    }),
  };
}

past('its state survives the address', () => {
  for (const view of [
    DEFAULT,
    {
      seconds: 86_400,
      toMs: 1_700_000_000_000,
      compare: 3_600,
      kind: 'refused-connections',
      level: 'warn',
    },
    { ...DEFAULT, seconds: 17 },
  ]) {
    assert.equal(viewOf(hashOf(view)), view, hashOf(view));
  }
  assert.is(hashOf(DEFAULT), '#/history');
});

past('wrong values in the address are the defaults', () => {
  assert.equal(viewOf('#/history?range=x&to=-5&compare=7&kind=%3Cb%3E&level=A'), DEFAULT);
  assert.equal(viewOf('#/history?range=1'), DEFAULT);
  assert.equal(viewOf(''), DEFAULT);
});

past('zooms and moves, and follows the present again at its end', () => {
  const view = zoomed(DEFAULT, 5_000_000, 5_060_000);
  assert.equal([view.seconds, view.toMs], [60, 5_060_000]);
  assert.is(zoomed(DEFAULT, 5_000_000, 5_000_100).seconds, 10);
  assert.is(moved(view, -1, 9_000_000).toMs, 5_000_000);
  assert.is(moved(view, 1, 5_100_000).toMs, null);
});

past('compares the first line with the time before', () => {
  const now = document({ ops: [1, null, 3], errors: [4, 5, 6] });
  const before = document({ ops: [7, 8], errors: [1, 1] });
  assert.equal(
    columnsFor(
      now,
      before,
      [
        ['ops', null],
        ['errors', null],
      ],
      2,
    ),
    [
      [1_000, 1_010, 1_020],
      [2, null, 6],
      [8, 10, 12],
      [14, 16, null],
    ],
  );
  assert.equal(columnsFor(now, null, [['nonsense', null]]), [[1_000], [null]]);
  const unfinished = document({ ops: [1, 2, null] });
  assert.equal(columnsFor(unfinished, null, [['ops', null]]), [
    [1_000, 1_010],
    [1, 2],
  ]);
});

past('bands have a run for each change, and none for a gap', () => {
  const health = document({ health: [0, 0, 2, 2, null, 0] });
  assert.equal(
    runsOf(health, 'health').map(({ value, fromMs, toMs }) => [value, fromMs, toMs]),
    [
      [0, 1_000_000, 1_020_000],
      [2, 1_020_000, 1_040_000],
      [0, 1_050_000, 1_060_000],
    ],
  );
  const bits = document({ limited_by: [0, 0b101, 0b100, 0b100] });
  assert.equal(
    runsOf(bits, 'limited_by', 2).map(({ value, from, to }) => [value, from, to]),
    [
      [0, 0, 0.25],
      [1, 0.25, 1],
    ],
  );
});

past.run();
