/** The table of quantities: rows that the surfaces can rely on. */
import { KEY_FATES } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KEY_QUANTITIES } from './keys.ts';
import { QUANTITIES, type PageQuantity } from './table.ts';

const table = suite('quantities');

const times = (rows: readonly PageQuantity[], of: (row: PageQuantity) => unknown): unknown[] => {
  const names = rows.map(of).filter((name) => name !== undefined);
  return names.filter((name, index) => names.indexOf(name) !== index);
};

table('gives a name on a surface once', () => {
  for (const surface of ['info', 'status', 'shards', 'exporter', 'live'] as const) {
    assert.equal(
      times(QUANTITIES, (row) => row[surface]),
      [],
      surface,
    );
  }
  assert.equal(
    times(QUANTITIES, ({ metric, label }) => metric && `${metric} ${label?.[1]}`),
    [],
  );
});

table('has two rows of one counter only where main and the shards count different things', () => {
  const current = QUANTITIES.filter(({ isFormer }) => isFormer === undefined);
  assert.equal(
    times(current, ({ counter, by, shards }) => `${counter} ${by} ${shards}`),
    [],
  );
  const twice = times(current, ({ counter }) => counter);
  assert.equal(twice, ['commands']);
  const resets = QUANTITIES.filter(({ counter }) => twice.includes(counter));
  assert.ok(resets.every((row) => row.resets === resets[0]!.resets));
});

table('has a row with new names for each row with former ones', () => {
  const former = QUANTITIES.filter(({ isFormer }) => isFormer);
  assert.ok(former.length > 0);
  for (const { counter } of former) {
    assert.ok(
      QUANTITIES.some((row) => row.counter === counter && !row.isFormer),
      counter,
    );
  }
});

table('has the same help, kind and label for all samples of a metric', () => {
  const meaning = ({ help, kind, unit, by, label, perShard }: PageQuantity): unknown[] => [
    ...[help, kind, unit, by, label?.[0], perShard],
  ];
  for (const row of QUANTITIES.filter(({ metric }) => metric !== undefined)) {
    const first = QUANTITIES.find(({ metric }) => metric === row.metric)!;
    assert.equal(meaning(row), meaning(first), row.metric);
    assert.type(row.help, 'string');
  }
});

table('sets back on CONFIG RESETSTAT what has happened, and no gauge but maxima', () => {
  const gauges = QUANTITIES.filter(({ kind, resets }) => kind === 'gauge' && resets);
  assert.equal(
    gauges.map(({ counter }) => counter),
    ['gcUsMax', 'slowCommandUsMax'],
  );
});

table('has a counter for each key fate, in the order of their numbers', () => {
  assert.equal(
    KEY_QUANTITIES.fates.map(({ label: [, reason] }) => reason),
    [...KEY_FATES],
  );
});

table.run();
