import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Arena, NEAR_OWN_PAGES_MAX, NEAR_PAGES_MAX, pageOf, refOf, wordAt } from './arena.ts';

const arenas = suite('arena');

/** Larger than what shares a page. */
const LARGE_BYTES = 16_388;

arenas('tell every page and place in it apart by the reference', () => {
  const nearLast = NEAR_PAGES_MAX - 1;
  for (const page of [0, 1, 2 ** 17, nearLast]) {
    for (const word of [1, 2, 2 ** 14 - 1]) {
      const ref = refOf(page, word) | 0;
      assert.equal([pageOf(ref), wordAt(ref)], [page, word]);
    }
  }
  for (const page of [NEAR_PAGES_MAX, NEAR_PAGES_MAX + 1, NEAR_PAGES_MAX + 2 ** 28 - 2]) {
    const ref = refOf(page, 1) | 0;
    assert.equal([pageOf(ref), wordAt(ref)], [page, 1]);
    assert.is.not(ref, -1);
  }
});

arenas('keep more large entries than near pages, and small ones beside them', () => {
  const arena = new Arena();
  const small = arena.take(8);
  const refs = new Int32Array(NEAR_OWN_PAGES_MAX + 2);
  for (let nth = 0; nth < refs.length; nth += 1) refs[nth] = arena.take(LARGE_BYTES);
  assert.is(new Set(refs).size, refs.length);
  const far = refs.at(-1)!;
  assert.is(pageOf(far), NEAR_PAGES_MAX + 2);
  assert.is(arena.usedIn(pageOf(far)), LARGE_BYTES + 4);
  assert.is(pageOf(arena.take(8)), pageOf(small));
  // Pages that entries share still get near numbers, and a far one that goes is used again.
  let other = small;
  while (pageOf(other) === pageOf(small)) other = arena.take(16_000);
  assert.ok(pageOf(other) < NEAR_PAGES_MAX);
  arena.release(far, LARGE_BYTES);
  assert.is(arena.usedIn(pageOf(far)), 0);
  assert.is(arena.take(LARGE_BYTES), far);
});

arenas.run();
