/** Numbers of values and extents, which are used again: what was read by a number stays that value's. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SPILL_ELSEWHERE, SPILL_SEARCHING } from '../timed/eviction.ts';
import { keyScratch } from '../values/span.ts';
import { setText, testStore, valueText } from '../store.test-helper.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Ref } from '../memory/segment.ts';
import type { Store } from '../store.ts';
import { arrived } from './lend.ts';
import { settleLoans } from '../timed/settle.ts';
import { extentOf } from './warm-tier.ts';
import { withTier } from './warm.test-helper.ts';

const numbers = suite('numbers of warm values');

/** Two of these do not fit into one extent. */
const LONG_BYTES = 12_000;

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

function refOf(keyspace: Keyspace, name: string): Ref {
  return keyspace.find(bytesOf(name), 0, name.length);
}

function played(): { store: Store; keyspace: Keyspace } {
  const store = testStore(1, 1);
  withTier(store);
  return { store, keyspace: store.databases[0]! };
}

/** Spills the one value there is; returns its number. */
function spillOnly(store: Store, keyspace: Keyspace, name: string): number {
  assert.ok(store.spillOne() > 0);
  const ref = refOf(keyspace, name);
  assert.ok(keyspace.isWarm(ref));
  return keyspace.warmNumber(ref);
}

numbers('a value that gets the number of one that was at hand is not taken for it', () => {
  const { store, keyspace } = played();
  setText(keyspace, 'key', 'a'.repeat(LONG_BYTES));
  const first = spillOnly(store, keyspace, 'key');
  assert.is(valueText(keyspace, refOf(keyspace, 'key'))[0], 'a');
  // In the same batch of commands: nothing has ended the use of the first value.
  setText(keyspace, 'key', 'b'.repeat(LONG_BYTES));
  assert.is(spillOnly(store, keyspace, 'key'), first);
  assert.is(valueText(keyspace, refOf(keyspace, 'key'))[0], 'b');
});

numbers('a value that was changed keeps that under another name', () => {
  const { store, keyspace } = played();
  setText(keyspace, 'key', 'a'.repeat(LONG_BYTES));
  spillOnly(store, keyspace, 'key');
  store.tier.isWriting = () => true;
  const view = keyspace.value(refOf(keyspace, 'key'));
  view.bytes[view.at] = 'c'.charCodeAt(0);
  store.tier.isWriting = () => false;
  keyspace.renameWarm(refOf(keyspace, 'key'), keyScratch.all(bytesOf('other')));
  settleLoans(store, false);
  assert.is(valueText(keyspace, refOf(keyspace, 'other')).slice(0, 2), 'ca');
});

numbers('no extent gets the number of one that is read', () => {
  const { store, keyspace } = played();
  const { tier } = store;
  setText(keyspace, 'key', 'a'.repeat(LONG_BYTES));
  const first = spillOnly(store, keyspace, 'key');
  // The next seals and writes the first.
  setText(keyspace, 'next', 'n'.repeat(LONG_BYTES));
  const second = spillOnly(store, keyspace, 'next');
  tier.beginRead(extentOf(first));
  const entry = tier.entryNow(first);
  keyspace.remove(bytesOf('key'), 0, 3);
  assert.ok(tier.isReleased(first));
  // Its time is over twice: it must not be free twice, nor at all.
  store.flush();
  setText(keyspace, 'more', 'm'.repeat(LONG_BYTES));
  const third = spillOnly(store, keyspace, 'more');
  assert.is.not(extentOf(third), extentOf(first));
  arrived(tier, 1, first, entry);
  assert.is(tier.loans.has(first), false);
  tier.endRead(extentOf(first));
  assert.is(tier.isReleased(first), false);
  const taken = new Set([extentOf(third)]);
  for (let nth = 0; nth < 3; nth += 1) {
    const name = `key ${nth}`;
    setText(keyspace, name, 'k'.repeat(LONG_BYTES));
    const extent = extentOf(spillOnly(store, keyspace, name));
    assert.not(taken.has(extent), `extent ${extent} is one value's`);
    taken.add(extent);
  }
  assert.ok(taken.has(extentOf(first)) || taken.has(extentOf(second)), 'numbers are used again');
});

numbers('an extent that is held is removed once, whatever is flushed meanwhile', () => {
  const { store, keyspace } = played();
  const { tier } = store;
  for (const name of ['one', 'two']) {
    setText(keyspace, name, name.repeat(LONG_BYTES / 3));
    spillOnly(store, keyspace, name);
  }
  tier.hold();
  keyspace.remove(bytesOf('one'), 0, 3);
  store.flush();
  store.flush();
  tier.letGo();
  const extents = new Set<number>();
  for (let nth = 0; nth < 4; nth += 1) {
    const name = `key ${nth}`;
    setText(keyspace, name, 'v'.repeat(LONG_BYTES));
    extents.add(extentOf(spillOnly(store, keyspace, name)));
  }
  assert.is(extents.size, 4);
});

numbers('no key is evicted while another shard may still spill', () => {
  const store = testStore();
  withTier(store);
  setText(store.databases[0]!, 'a', 'too short');
  let others = true;
  store.tier.othersMaySpill = () => others;
  let freed = store.evictOne();
  while (freed === SPILL_SEARCHING) freed = store.evictOne();
  assert.is(freed, SPILL_ELSEWHERE);
  assert.ok(store.tier.isExhausted);
  assert.is(store.keyCount, 1);
  others = false;
  assert.ok(store.evictOne() > 0);
  assert.is(store.keyCount, 0);
});

numbers.run();
