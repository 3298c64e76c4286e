/** Statistics of scripts: what is counted, what is forgotten, and what shards add up to. */
import { mergeScripts } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ScriptStats } from './script-stats.ts';

const stats = suite('statistics of scripts');

const script = (fullName: string, isFunction = false) => ({
  fullName,
  isFunction,
  sourceBytes: 10,
});

stats('runs, errors and kills add up over shards', () => {
  const shards = [new ScriptStats(), new ScriptStats()];
  for (const [nth, shard] of shards.entries()) {
    const counts = shard.of(script('a'));
    counts.ended({ calls: 3, callsOnMain: nth, hasBarrier: nth === 1 }, 2, 100);
    counts.ended({ calls: 1, callsOnMain: 0, hasBarrier: false }, 0, 100);
    counts.failed(nth === 1);
  }
  const { usP50, usP99, ...sums } = mergeScripts(shards.map(({ figures }) => figures))[0]!;
  assert.equal(sums, {
    name: 'a',
    isFunction: false,
    sourceBytes: 10,
    calls: 4,
    errors: 2,
    us: 400,
    usMax: 100,
    keys: 4,
    commands: 8,
    callsOnMain: 1,
    barrierRuns: 1,
    killed: 1,
  });
  assert.ok(Math.abs(usP50 - 100) <= 3 && Math.abs(usP99 - 100) <= 3, `${usP50} ${usP99}`);
});

stats('percentiles lie within 4 % and are no more than the longest', () => {
  const shard = new ScriptStats();
  const counts = shard.of(script('a'));
  for (let us = 1; us <= 1_000; us += 1)
    counts.ended({ calls: 0, callsOnMain: 0, hasBarrier: false }, 0, us);
  const [report] = mergeScripts([shard.figures]);
  assert.ok(Math.abs(report!.usP50 - 500) <= 20, String(report!.usP50));
  assert.ok(Math.abs(report!.usP99 - 990) <= 40, String(report!.usP99));
  assert.ok(report!.usP99 <= report!.usMax);
});

stats('the one that has run longest comes first', () => {
  const shard = new ScriptStats();
  for (const [name, us] of [
    ['short', 1],
    ['long', 1e9],
    ['middle', 50],
  ] as const) {
    shard.of(script(name)).ended({ calls: 0, callsOnMain: 0, hasBarrier: false }, 0, us);
  }
  const names = mergeScripts([shard.figures]).map(({ name }) => name);
  assert.equal(names, ['long', 'middle', 'short']);
});

stats('the one that was used longest ago is forgotten', () => {
  const shard = new ScriptStats();
  for (let nth = 0; nth < 1_000; nth += 1) shard.of(script(String(nth)));
  shard.of(script('0'));
  shard.of(script('new'));
  const names = new Set(shard.figures.map(({ name }) => name));
  assert.equal(
    [names.size, names.has('0'), names.has('1'), names.has('new')],
    [1_000, true, false, true],
  );
});

stats('a library that was replaced is told with its new size', () => {
  const shard = new ScriptStats();
  shard.of(script('lib.f', true));
  shard.of({ ...script('lib.f', true), sourceBytes: 20 });
  shard.of(script('other'));
  shard.of({ ...script('lib.f', true), sourceBytes: 30 });
  assert.is(shard.figures.find(({ name }) => name === 'lib.f')?.sourceBytes, 30);
});

stats('nothing is left after a reset', () => {
  const shard = new ScriptStats();
  shard.of(script('a')).ended({ calls: 0, callsOnMain: 0, hasBarrier: false }, 0, 5);
  shard.reset();
  assert.equal(shard.figures, []);
  shard.of(script('a'));
  assert.is(shard.figures[0]?.calls, 0);
});

stats.run();
