/** Episodes: when something begins and ends, its worst value, and values near a threshold. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Episodes } from './episodes.ts';

const episodes = suite('episodes');

interface Thing {
  readonly name: string;
  readonly value: number;
}

const SECOND = 1_000_000;

const newEpisodes = (confirmUs = 0, threshold = 10): Episodes<Thing> =>
  new Episodes<Thing>({
    nameOf: ({ name }) => name,
    measureOf: ({ value }) => ({ value, threshold }),
    confirmUs: () => confirmUs,
  });

const names = (list: readonly { readonly thing: Thing }[]): string[] =>
  list.map(({ thing }) => thing.name);

episodes('begin once, and end three seconds after they were last seen', () => {
  const all = newEpisodes();
  assert.equal(names(all.take([{ name: 'a', value: 11 }], 0).began), ['a']);
  assert.equal(names(all.take([{ name: 'a', value: 12 }], SECOND).began), []);
  assert.equal(names(all.take([], 3 * SECOND).ended), []);
  assert.equal(names(all.current), ['a']);
  const { ended } = all.take([], 4 * SECOND);
  assert.equal(names(ended), ['a']);
  assert.is(ended[0]!.worst, 12);
  assert.is(ended[0]!.seenUs - ended[0]!.sinceUs, SECOND);
  assert.equal(all.current, []);
});

episodes('a value near its threshold begins no episode each second', () => {
  const all = newEpisodes();
  let began = 0;
  for (let second = 0; second < 20; second += 1) {
    const found = second % 2 === 0 ? [{ name: 'a', value: 10 }] : [];
    began += all.take(found, second * SECOND).began.length;
  }
  assert.is(began, 1);
});

episodes('what must be confirmed is reported only when it has held', () => {
  const all = newEpisodes(SECOND);
  assert.equal(all.take([{ name: 'a', value: 11 }], 0).began, []);
  assert.equal(all.current, []);
  assert.equal(all.take([], SECOND / 2).ended, []);
  assert.equal(all.take([{ name: 'a', value: 11 }], SECOND).began, [], 'it began anew');
  assert.equal(names(all.take([{ name: 'a', value: 11 }], 2 * SECOND).began), ['a']);
});

episodes('the worst value is the lowest where values below the threshold are worse', () => {
  const all = newEpisodes(0, 50);
  for (const [second, value] of [40, 20, 30].entries()) {
    all.take([{ name: 'a', value }], second * SECOND);
  }
  assert.is(all.current[0]!.worst, 20);
});

episodes.run();
