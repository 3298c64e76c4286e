/** Eviction holds up other commands for as long as its tenacity says. */

import { fromLatin1 } from '#base';
import { shardSettingNames, type ShardSettingValues } from '#commands';
import { Page } from '#stats';
import { allocateShared } from '#link';
import { Span, Store } from '#store';
import { FakeClock } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Settings } from '../settings/settings.ts';
import { OwnExpiry } from '../replica/own-expiry.ts';
import { Maintenance } from './maintenance.ts';

const maintenance = suite('maintenance');

const KEYS = 20_000;
/** Each look at the clock takes this long. */
const LOOK_US = 10;

class SlowClock extends FakeClock {
  override nowUs(): number {
    this.advanceUs(LOOK_US);
    return super.nowUs();
  }
}

function settingsWith(tenacity: number, maxmemory = 1): Settings {
  const zeros = Object.fromEntries(shardSettingNames.map((name) => [name, 0]));
  return new Settings({
    ...(zeros as unknown as ShardSettingValues),
    'memory.active-defrag': false,
    'replication.ignore-maxmemory': true,
    'replication.read-only': true,
    'server.hz': 10,
    'memory.maxmemory': maxmemory,
    'memory.maxmemory-policy': 'allkeys-random',
    'memory.maxmemory-samples': 5,
    'tiered.when-full': 'evict',
    'memory.maxmemory-eviction-tenacity': tenacity,
  });
}

/** Returns the number of keys evicted when the limit is lowered below them. */
function evictedBy(tenacity: number): number {
  return evicting(tenacity).store.stats.evicted;
}

function evicting(
  tenacity: number,
  looked: () => void = () => undefined,
): { store: Store; page: Page; tended: Maintenance } {
  const store = new Store({ databases: 1, seed: Buffer.alloc(16, 3), random: Math.random });
  for (let nth = 0; nth < KEYS; nth += 1) {
    const key = fromLatin1(`key:${nth}`);
    store.databases[0]!.set(new Span(key), new Span(key));
  }
  const shape = { databases: 1, commands: 1, errorCodes: 1 };
  const page = new Page(shape, allocateShared(Page.bytes(shape)));
  const tended = new Maintenance({
    store,
    page,
    clock: new SlowClock(),
    slowness: { occurred: () => undefined },
    flight: { note: () => undefined },
    role: { isReplica: false },
    index: 0,
    ownExpiry: new OwnExpiry(store),
    usedBytesOfAll: () => {
      looked();
      return store.memory.usedBytes;
    },
    isStopped: () => false,
    isReading: () => false,
  });
  tended.apply(settingsWith(tenacity));
  return { store, page, tended };
}

maintenance('evicts for 50 us a step up to the tenth', () => {
  assert.is(evictedBy(0), 1);
  assert.is(evictedBy(4), 200 / LOOK_US);
  assert.is(evictedBy(10), 500 / LOOK_US);
});

maintenance('evicts for 15 % longer with each step behind', () => {
  assert.is(evictedBy(30), Math.ceil((500 * 1.15 ** 20) / LOOK_US));
});

maintenance('evicts everything that is too much with the last', () => {
  assert.is(evictedBy(100), KEYS);
});

maintenance('counts the time of eviction before and behind commands, not only between them', () => {
  const { store, page, tended } = evicting(10);
  const before = page.get('evictionUs');
  assert.ok(before >= 500, `${before} us for lowering the limit`);
  const evicted = store.stats.evicted;
  assert.ok(tended.room.makeRoomBehind());
  assert.ok(store.stats.evicted > evicted);
  assert.ok(page.get('evictionUs') >= before + 500);
});

maintenance('before writes looks at what is in use once for each time that it is published', () => {
  let looks = 0;
  const { store, tended } = evicting(0, () => {
    looks += 1;
  });
  const evicted = store.stats.evicted;
  tended.room.makeRoomBefore();
  assert.ok(store.stats.evicted > evicted, 'it was over the limit');
  tended.apply(settingsWith(0, 2 ** 40));
  looks = 0;
  for (let writes = 0; writes < 5; writes += 1) tended.room.makeRoomBefore();
  assert.is(looks, 1);
  tended.publish();
  tended.room.makeRoomBefore();
  assert.is(looks, 2);
});

maintenance('makes no room behind commands where nothing can go', () => {
  const { store, tended } = evicting(100);
  assert.not.ok(tended.room.makeRoomBehind());
  assert.is(store.stats.evicted, KEYS);
});

maintenance.run();
