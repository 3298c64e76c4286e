/** Fence of a node: whom it cuts off when the lease is over. */

import type { Client } from '#router';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Fence } from './fence.ts';

const fences = suite('fence');

function stage() {
  const lease = { nowMs: 0, repliesUntilMs: 1_000 };
  const seen = { destroyed: 0, tripped: [] as number[] };
  const client = {
    replies: { outstanding: 1, unsentBytes: 0 },
    wait: { isAtBarrier: false },
    roles: { isPrimary: false, isReplica: false },
    socket: { destroy: () => (seen.destroyed += 1) },
  } as unknown as Client;
  const fence = new Fence({
    lease,
    clients: () => [client],
    tripped: (count) => seen.tripped.push(count),
  });
  return { fence, lease, seen };
}

fences('who waits for a reply is cut off when the time is nearly over', () => {
  const { fence, lease, seen } = stage();
  fence.arm();
  fence.look();
  assert.is(seen.destroyed, 0);
  lease.nowMs = 950;
  fence.look();
  assert.equal(seen, { destroyed: 1, tripped: [1] });
  lease.nowMs = 2_000;
  assert.ok(fence.mayWrite(), 'a node that takes no writes tells what it likes');
});

fences('a node that has given its place up by itself cuts nobody off', () => {
  const { fence, lease, seen } = stage();
  fence.arm();
  fence.disarm();
  lease.repliesUntilMs = 0;
  fence.look();
  assert.ok(fence.mayWrite());
  assert.equal(seen, { destroyed: 0, tripped: [] });
});

fences.run();
