/** A failing list becomes as short as it can be, and stays failing. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { minimise } from './minimise.ts';

const minimising = suite('minimise');

const numbers = Array.from({ length: 1000 }, (_, nth) => nth);

const cases: readonly (readonly [what: string, needed: readonly number[]])[] = [
  ['one item', [613]],
  ['the first and the last', [0, 999]],
  ['neighbours across a half', [499, 500]],
  ['many far from each other', [3, 77, 400, 401, 650, 998]],
  ['nothing', []],
];

for (const [what, needed] of cases) {
  minimising(`finds ${what}, with few tries`, async () => {
    let tries = 0;
    const left = await minimise(numbers, (items) => {
      tries += 1;
      return Promise.resolve(needed.every((item) => items.includes(item)));
    });
    assert.equal(left, needed);
    assert.ok(tries < 250, `${tries} tries`);
  });
}

minimising('removes what only another item made needed', async () => {
  // 5 is needed while 3 is there.
  const fails = (items: readonly number[]): Promise<boolean> =>
    Promise.resolve(items.includes(7) && (!items.includes(3) || items.includes(5)));
  assert.equal(await minimise([7, 5, 3], fails), [7]);
});

minimising.run();
