import { FakeClock } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OwnPlace } from './own-place.ts';

const places = suite('place of a node in its cluster');

function newPlace(): {
  place: OwnPlace;
  node: { isRegistered: boolean; group: undefined | Record<string, never> };
  clock: FakeClock;
  count: { arrived: number; decided: number };
} {
  const clock = new FakeClock();
  const count = { arrived: 0, decided: 0 };
  const node = {
    isRegistered: false,
    group: undefined,
    decide: () => {
      count.decided += 1;
      return Promise.resolve();
    },
  };
  const router = {
    retryAll: () => {
      count.arrived += 1;
    },
  };
  const cluster = { node, isUp: false, downReason: 'etcd is away' };
  const place = new OwnPlace({ clock, router, beginTurn: () => undefined }, cluster);
  place.start();
  return { place, node, clock, count };
}

places('is awaited until the node is in a group, and then decisions are taken', async () => {
  const { place, node, count } = newPlace();
  place.look();
  node.isRegistered = true;
  place.look();
  assert.ok(place.isAwaited);
  const error = await place.decide(() => undefined).catch((thrown: unknown) => thrown);
  assert.is((error as Error).message, 'The node has no place in the cluster yet: etcd is away');
  node.group = {};
  place.look();
  place.look();
  assert.not(place.isAwaited);
  await place.decide(() => undefined);
  assert.equal(count, { arrived: 1, decided: 1 });
});

places('is awaited for three seconds at most', () => {
  const { place, clock, count } = newPlace();
  clock.advanceMs(2_999);
  place.look();
  assert.ok(place.isAwaited);
  clock.advanceMs(1);
  place.look();
  assert.not(place.isAwaited);
  assert.is(count.arrived, 1);
});

places.run();
