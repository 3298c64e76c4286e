import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { QUANTITIES } from '#quantities';
import { LOG_SERIES, NOT_KEPT, pageSeries, percentileSeries, SHARD_SERIES } from './series.ts';

const series = suite('series of the history');

const LISTS = {
  main: [
    ...pageSeries('main'),
    ...['execute', 'reply', 'loop', 'scatter'].flatMap(percentileSeries),
  ],
  shard: [
    ...pageSeries('shards'),
    ...SHARD_SERIES,
    ...LOG_SERIES,
    ...['execute', 'queue', 'loop'].flatMap(percentileSeries),
  ],
  front: [...pageSeries('front'), ...['front', 'loop'].flatMap(percentileSeries)],
  ops: [...pageSeries('ops'), ...percentileSeries('loop')],
};

for (const [thread, list] of Object.entries(LISTS)) {
  series(`${thread} has no name twice, and only names in snake case`, () => {
    const names = list.map(({ name }) => name);
    assert.equal([...new Set(names)], names);
    assert.equal(
      names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name)),
      [],
    );
  });
}

series('a name has one meaning for all threads', () => {
  const kinds = new Map<string, string>();
  for (const { name, kind, unit } of Object.values(LISTS).flat()) {
    assert.is(kinds.get(name) ?? `${kind} ${unit}`, `${kind} ${unit}`, name);
    kinds.set(name, `${kind} ${unit}`);
  }
});

series('every quantity is kept but those that say nothing of the past', () => {
  const kept = new Set(
    [...pageSeries('main'), ...pageSeries('shards'), ...pageSeries('front')].map(
      ({ counter }) => counter,
    ),
  );
  const counters = [...new Set(QUANTITIES.map(({ counter }) => counter))];
  assert.equal(
    counters.filter((counter) => !kept.has(counter) && !NOT_KEPT.has(counter)),
    [],
  );
  assert.equal(
    [...NOT_KEPT].filter((counter) => kept.has(counter)),
    [],
  );
  assert.equal(
    QUANTITIES.filter(({ counter, kind }) => NOT_KEPT.has(counter) && kind === 'counter'),
    [],
  );
});

series.run();
