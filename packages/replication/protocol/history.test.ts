import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkHistory, type LinkChange } from './history.ts';

const history = suite('link history');

const change = (timeMs: number): LinkChange => ({
  timeMs,
  link: 'replica',
  peer: '127.0.0.1:1',
  client: 7,
  state: 'online',
  reason: 'test',
});

history('keeps the latest, oldest first, and tells of each', () => {
  const reported: number[] = [];
  const all = new LinkHistory(({ timeMs }) => reported.push(timeMs));
  for (let ms = 1; ms <= 2_000; ms += 1) all.note(change(ms));
  assert.is(reported.length, 2_000);
  const times = all.latest.map(({ timeMs }) => timeMs);
  assert.equal([times.length, times[0], times.at(-1)], [256, 1_745, 2_000]);
});

history.run();
