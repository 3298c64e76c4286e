/** Nodes that agree by a coordinator in memory: leases end, and ways are cut, when a test says so. */

import { FakeClock } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClusterNode, type ClusterHost, type DataPlace } from './cluster-node.ts';
import type { ClusterIdentity } from './cluster-view.ts';
import { FakeStore, type FakeCoordinator } from './coordinator/fake-coordinator.test-helper.ts';
import { askForHandover } from './decisions/failover.ts';
import { forget, meet, replicate, reset } from './decisions/membership.ts';
import { putSlots } from './decisions/plan.ts';
import { addSlots, deleteSlots, setSlot } from './decisions/slots.ts';
import type { SlotRange } from './documents/slot-ranges.ts';

const nodes = suite('nodes of a cluster');

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A server that records its calls. */
class PlayedHost implements ClusterHost {
  role = 'none';
  offset = 0;
  isReady = true;
  handovers = 0;

  placeOf(): DataPlace {
    return { streamId: 's', offset: this.offset };
  }

  follow(primary: string): void {
    this.role = `replica of ${primary}`;
  }

  lead(): void {
    this.role = 'primary';
  }

  prepareHandover(): Promise<boolean> {
    this.handovers += 1;
    return Promise.resolve(this.isReady);
  }

  endHandover(): void {
    // Nothing was held back.
  }

  changed(): void {
    // The topology is read where it is looked at.
  }
}

/** Cluster that a node remembers. */
class PlayedIdentity implements ClusterIdentity {
  clusterId = '';

  newClusterId(): string {
    return 'a cluster';
  }

  joined(clusterId: string): void {
    this.clusterId = clusterId;
  }
}

interface Played {
  readonly node: ClusterNode;
  readonly identity: PlayedIdentity;
  readonly host: PlayedHost;
  readonly coordinator: FakeCoordinator;
}

const LEASE_MS = 2_000;

function stage() {
  const store = new FakeStore();
  const clock = new FakeClock();
  const add = (name: string): Played => {
    const coordinator = store.client();
    const host = new PlayedHost();
    const identity = new PlayedIdentity();
    const node = new ClusterNode({
      id: name,
      identity,
      run: `run of ${name}`,
      version: '1',
      address: { host: name, port: 7_000, tlsPort: 0, hostname: '' },
      wish: () => ({ group: `group of ${name}`, isNamed: false }),
      noFailover: () => false,
      migrationBarrier: () => 1,
      leaseMs: LEASE_MS,
      coordinator,
      clock,
      log: silent,
      host,
    });
    return { node, host, identity, coordinator };
  };
  return { store, clock, add };
}

/** Lets all pending work finish. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 200; turns += 1) await Promise.resolve();
}

async function beat(...played: readonly Played[]): Promise<void> {
  for (const { node } of played) await node.beat();
  await settle();
}

/** A primary `a` with the replicas named, and all slots. */
async function group(...replicas: readonly string[]) {
  const { store, clock, add } = stage();
  const a = add('a');
  const others = replicas.map((name) => add(name));
  await beat(a, ...others);
  await a.node.decide((topology) =>
    addSlots(
      topology,
      'a',
      Array.from({ length: 16_384 }, (_, slot) => slot),
    ),
  );
  for (const { node } of others) {
    await node.decide((topology) => meet(topology, node.id, 'a'));
    await node.decide((topology) => replicate(topology, node.self, 'a'));
  }
  await beat(a, ...others);
  return { store, clock, add, a, others };
}

nodes('a node alone is the primary of a group of its own', async () => {
  const { add } = stage();
  const a = add('a');
  await beat(a);
  assert.ok(a.node.isPrimary);
  assert.is(a.host.role, 'primary');
  assert.is(a.node.group?.id, 'group of a');
});

nodes('nodes see each other when they have met, and no sooner', async () => {
  const { add } = stage();
  const [a, b] = [add('a'), add('b')];
  await beat(a, b);
  const seen = (): string[] => a.node.topology.membersSeenBy('a').map(({ id }) => id);
  assert.equal(seen(), ['a']);
  await b.node.decide((topology) => meet(topology, 'b', 'a'));
  await settle();
  assert.equal(seen().toSorted(), ['a', 'b']);
});

nodes('a slot is given to one group only, whoever asks first', async () => {
  const { add } = stage();
  const [a, b] = [add('a'), add('b')];
  await beat(a, b);
  const outcomes = await Promise.allSettled([
    a.node.decide((topology) => addSlots(topology, 'a', [1, 2])),
    b.node.decide((topology) => addSlots(topology, 'b', [2, 3])),
  ]);
  assert.equal(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  await settle();
  assert.equal(a.node.topology.slots, b.node.topology.slots);
});

nodes('a replica takes the place of a primary whose lease has ended', async () => {
  const { store, a, others } = await group('b');
  const [b] = others as [Played];
  assert.is(b.host.role, 'replica of a');
  store.end(a.coordinator);
  await settle();
  assert.ok(b.node.isPrimary);
  assert.is(b.host.role, 'primary');
  await beat(a);
  assert.is(a.host.role, 'replica of b');
  assert.not.ok(a.node.isPrimary);
});

nodes('the replica that has most takes the place', async () => {
  const { store, a, others } = await group('b', 'c', 'd');
  const [b, c, d] = others as [Played, Played, Played];
  b.host.offset = 5;
  c.host.offset = 9;
  d.host.offset = -1;
  store.end(a.coordinator);
  await settle();
  assert.equal(
    [b, c, d].map(({ host }) => host.role),
    ['replica of c', 'primary', 'replica of c'],
  );
});

nodes(
  'a replica that does not say how far it is is waited for until its lease has ended',
  async () => {
    const { store, a, others } = await group('b', 'c');
    const [b, c] = others as [Played, Played];
    c.coordinator.isCut = true;
    store.end(a.coordinator);
    await settle();
    assert.not.ok(b.node.isPrimary);
    store.end(c.coordinator);
    await settle();
    assert.ok(b.node.isPrimary);
  },
);

nodes('a replica without data is no primary', async () => {
  const { store, a, others } = await group('b');
  const [b] = others as [Played];
  b.host.offset = -1;
  store.end(a.coordinator);
  await settle();
  assert.not.ok(b.node.isPrimary);
  b.host.offset = 3;
  await b.node.force();
  await settle();
  assert.ok(b.node.isPrimary);
});

nodes('a primary that comes back in time keeps its place', async () => {
  const { store, a, others } = await group('b');
  const [b] = others as [Played];
  b.coordinator.isCut = true;
  store.end(a.coordinator);
  await beat(a);
  b.coordinator.isCut = false;
  await beat(b);
  assert.ok(a.node.isPrimary);
  assert.not.ok(b.node.isPrimary);
});

nodes(
  'writes end before the lease can have ended, counted from when its renewal was sent',
  async () => {
    const { clock, a } = await group();
    assert.ok(a.node.lease.isSafe);
    a.coordinator.isCut = true;
    clock.advanceMs(LEASE_MS * 0.8);
    await beat(a);
    assert.ok(a.node.lease.isSafe);
    clock.advanceMs(LEASE_MS * 0.1);
    assert.not.ok(a.node.lease.isSafe);
    assert.ok(a.node.lease.nowMs < a.node.lease.repliesUntilMs);
    assert.match(a.node.problem ?? '', /cut/);
    a.coordinator.isCut = false;
    await beat(a);
    assert.ok(a.node.lease.isSafe);
    assert.is(a.node.problem, undefined);
  },
);

nodes('a place is handed over when the replica has all data', async () => {
  const { a, others } = await group('b');
  const [b] = others as [Played];
  await b.node.decide((topology) => askForHandover(topology, 'b', false));
  await settle();
  assert.is(a.host.handovers, 1);
  assert.is(b.host.role, 'primary');
  assert.is(a.host.role, 'replica of b');
});

nodes('a handover is refused when the replica does not come up', async () => {
  const { a, others } = await group('b');
  const [b] = others as [Played];
  a.host.isReady = false;
  await b.node.decide((topology) => askForHandover(topology, 'b', false));
  await settle();
  assert.is(a.host.role, 'primary');
  assert.is(a.node.group?.handover, undefined);
});

nodes('a primary that was started anew leaves its place to a replica', async () => {
  const { store, clock, add, a, others } = await group('b');
  const [b] = others as [Played];
  const again = add('a');
  a.coordinator.isCut = true;
  await beat(again);
  assert.ok(b.node.isPrimary);
  await beat(again);
  assert.is(again.host.role, 'replica of b');
  // The lease of the process before ends without a trace.
  store.end(a.coordinator);
  clock.advanceMs(LEASE_MS);
  await beat(again, b);
  assert.ok(again.node.isRegistered);
});

nodes('a watch that was cut off is begun anew', async () => {
  const { add } = stage();
  const [a, b] = [add('a'), add('b')];
  await beat(a, b);
  a.coordinator.endWatch();
  await b.node.decide((topology) => addSlots(topology, 'b', [7]));
  await beat(a);
  assert.is(a.node.topology.owners[7], 'group of b');
});

nodes('a node that was forgotten goes on alone', async () => {
  const { a, others } = await group('b');
  const [b] = others as [Played];
  await a.node.decide((topology) => forget(topology, 'a', 'b'));
  await settle();
  assert.equal(
    a.node.topology.membersSeenBy('a').map(({ id }) => id),
    ['a'],
  );
  assert.equal(
    b.node.topology.membersSeenBy('b').map(({ id }) => id),
    ['b'],
  );
  assert.is(b.host.role, 'primary');
});

const refusals: readonly (readonly [
  what: string,
  decide: Parameters<ClusterNode['decide']>[0],
  error: RegExp,
])[] = [
  ['a busy slot', (t) => addSlots(t, 'a', [1]), /Slot 1 is already busy/],
  ['slots of a replica', (t) => addSlots(t, 'b', [1]), /only on masters/],
  [
    'a slot by way of a replica',
    (t) => setSlot(t, 'b', 1, { kind: 'stable' }),
    /^Please use SETSLOT only with masters\.$/,
  ],
  ['a free slot', (t) => deleteSlots(t, 'c', [1]), /belongs to another node/],
  [
    'itself',
    (t) => replicate(t, { id: 'a', address: { host: '', port: 0, tlsPort: 0, hostname: '' } }, 'a'),
    /replicate myself/,
  ],
  [
    'a replica',
    (t) => replicate(t, { id: 'c', address: { host: '', port: 0, tlsPort: 0, hostname: '' } }, 'b'),
    /not a replica/,
  ],
  ['a stranger', (t) => forget(t, 'a', 'x'), /Unknown node x/],
  ['oneself', (t) => forget(t, 'a', 'a'), /can't forget myself/],
  ['the primary', (t) => forget(t, 'b', 'a'), /Can't forget my master/],
  ['a node with slots', (t) => forget(t, 'c', 'a'), /has slots/],
  ['a primary with replicas', (t) => reset(t, 'a'), /has replicas/],
  [
    'a slot of another',
    (t) => setSlot(t, 'c', 1, { kind: 'migrating', node: 'a' }),
    /not the owner of hash slot 1/,
  ],
  [
    'its own slot',
    (t) => setSlot(t, 'a', 1, { kind: 'importing', node: 'c' }),
    /already the owner/,
  ],
  [
    'a slot that is not moved',
    (t) => setSlot(t, 'c', 1, { kind: 'node', node: 'c' }),
    /begin with SETSLOT 1 MIGRATING/,
  ],
  [
    'a target that is a replica',
    (t) => setSlot(t, 'a', 1, { kind: 'migrating', node: 'b' }),
    /not a master/,
  ],
  ['a handover by a primary', (t) => askForHandover(t, 'a', false), /to a replica/],
];

for (const [what, decide, error] of refusals) {
  nodes(`${what} is refused`, async () => {
    const { add, a, others } = await group('b');
    const c = add('c');
    await beat(c);
    await c.node.decide((topology) => meet(topology, 'c', 'a'));
    await beat(a, ...others, c);
    try {
      await c.node.decide(decide);
    } catch (found) {
      assert.match((found as Error).message, error);
      return;
    }
    assert.unreachable();
  });
}

nodes('a slot is moved key by key: opened on both sides, then given over', async () => {
  const { add, a } = await group();
  const c = add('c');
  await beat(c);
  await c.node.decide((topology) => meet(topology, 'c', 'a'));
  await c.node.decide((topology) => setSlot(topology, 'c', 9, { kind: 'importing', node: 'a' }));
  await a.node.refresh();
  await a.node.decide((topology) => setSlot(topology, 'a', 9, { kind: 'migrating', node: 'c' }));
  assert.equal(a.node.topology.slots.open, {
    '9': { importedBy: 'group of c', migratingTo: 'group of c' },
  });
  await c.node.decide((topology) => setSlot(topology, 'c', 9, { kind: 'node', node: 'c' }));
  assert.is(c.node.topology.owners[9], 'group of c');
  assert.equal(c.node.topology.slots.open, {});
  await a.node.refresh();
  await a.node.decide((topology) => setSlot(topology, 'a', 9, { kind: 'node', node: 'c' }));
});

nodes('a decision that the known documents do not permit is made by the latest ones', async () => {
  const { add, a, store } = await group();
  const c = add('c');
  await beat(c);
  await c.node.decide((topology) => meet(topology, 'c', 'a'));
  await c.node.decide((topology) => setSlot(topology, 'c', 9, { kind: 'importing', node: 'a' }));
  // From here on no watch brings anything, as when the coordinator is late.
  store.watchers.clear();
  await a.node.decide((topology) => setSlot(topology, 'a', 9, { kind: 'migrating', node: 'c' }));
  assert.is(c.node.topology.slots.open['9']?.migratingTo, undefined);
  await c.node.decide((topology) => setSlot(topology, 'c', 9, { kind: 'node', node: 'c' }));
  assert.is(c.node.topology.owners[9], 'group of c');
});

nodes('a slot that was opened is closed again on either side', async () => {
  const { add, a } = await group();
  const c = add('c');
  await beat(c);
  await c.node.decide((topology) => meet(topology, 'c', 'a'));
  await c.node.decide((topology) => setSlot(topology, 'c', 9, { kind: 'importing', node: 'a' }));
  await a.node.refresh();
  await a.node.decide((topology) => setSlot(topology, 'a', 9, { kind: 'migrating', node: 'c' }));
  await c.node.refresh();
  await c.node.decide((topology) => setSlot(topology, 'c', 9, { kind: 'stable' }));
  assert.equal(c.node.topology.slots.open, { '9': { migratingTo: 'group of c' } });
  await a.node.refresh();
  await a.node.decide((topology) => setSlot(topology, 'a', 9, { kind: 'stable' }));
  assert.equal(a.node.topology.slots.open, {});
});

nodes(
  'a replica that can be spared goes to a primary that has lost its own, after a while',
  async () => {
    const { store, clock, add, a, others } = await group('b', 'c');
    const [b, c] = others as [Played, Played];
    const [d, e] = [add('d'), add('e')];
    await beat(d, e);
    await a.node.decide((topology) => deleteSlots(topology, 'a', [0]));
    await d.node.decide((topology) => meet(topology, 'd', 'a'));
    await d.node.decide((topology) => addSlots(topology, 'd', [0]));
    await e.node.decide((topology) => meet(topology, 'e', 'a'));
    await e.node.decide((topology) => replicate(topology, e.node.self, 'd'));
    store.end(e.coordinator);
    await beat(a, b, c, d);
    assert.is(b.host.role, 'replica of a');
    clock.advanceMs(5_000);
    await beat(a, c, d, b);
    assert.is(b.host.role, 'replica of d');
    clock.advanceMs(5_000);
    await beat(a, b, c, d);
    assert.is(c.host.role, 'replica of a', 'one stays');
  },
);

nodes('documents of something else are told of, and not believed', async () => {
  const { store, add } = stage();
  store.put('slots', '{"ranges":[[5,1,"x"]],"open":{}}');
  const a = add('a');
  await beat(a);
  assert.match(a.node.problem ?? '', /slots is invalid/);
  assert.not.ok(a.node.isPrimary);
});

nodes('the first node gives the cluster its identity, and all remember it', async () => {
  const { add, store } = stage();
  const [a, b] = [add('a'), add('b')];
  b.identity.newClusterId = () => 'another';
  await beat(a, b);
  assert.equal(JSON.parse(store.documents.get('identity')?.value ?? ''), { id: 'a cluster' });
  assert.equal([a.identity.clusterId, b.identity.clusterId], ['a cluster', 'a cluster']);
});

nodes('a node of another cluster takes no part, and says why', async () => {
  const { add } = stage();
  const [a, b] = [add('a'), add('b')];
  b.identity.clusterId = 'its own';
  await beat(a, b);
  await beat(a, b);
  assert.ok(a.node.isPrimary);
  assert.equal([b.host.role, b.node.isRegistered, b.node.lease.isSafe], ['none', false, false]);
  assert.match(
    b.node.problem ?? '',
    /belong to another cluster \(a cluster\).* belongs to its own/,
  );
  assert.is(a.node.topology.nodes.size, 1);
  b.identity.clusterId = '';
  await beat(b);
  assert.equal([b.node.problem, b.node.isPrimary], [undefined, true]);
});

nodes('a coordinator that has lost everything gets the identity of the nodes back', async () => {
  const { a, store } = await group();
  store.documents.clear();
  store.source = 'an empty store';
  store.revision = 0;
  a.coordinator.hasLease = false;
  for (let beats = 0; beats < 3; beats += 1) await beat(a);
  assert.equal(JSON.parse(store.documents.get('identity')?.value ?? ''), { id: 'a cluster' });
  assert.equal([a.node.isPrimary, a.node.topology.assignedCount], [true, 0]);
});

for (const isInterrupted of [true, false]) {
  const how = isInterrupted ? 'its watch was interrupted' : 'it decides something';
  nodes(`a node sees that the coordinator was put back when ${how}`, async () => {
    const { a, b, store } = await restored();
    if (isInterrupted) for (const watcher of store.watchers) watcher.resumed();
    else await a.node.decide(() => ({ guards: [], writes: [] })).catch(() => undefined);
    await settle();
    assert.equal([a.node.isPrimary, a.node.lease.isSafe], [false, false]);
    assert.match(a.node.problem ?? '', /the coordinator is a different one, or was restored/);
    // The other hears of it by its own watch.
    for (const watcher of store.watchers) watcher.resumed();
    await settle();
    await beat(b, a, b, a);
    assert.equal([a.node.problem, a.node.isPrimary, b.node.isPrimary], [undefined, false, true]);
    assert.is(a.host.role, 'replica of b');
  });
}

/** Two nodes of which `a` has taken the place of `b`, and then the coordinator was put back to before that. */
async function restored() {
  const { store, add } = stage();
  const [b, a] = [add('b'), add('a')];
  await beat(b, a);
  await a.node.decide((topology) => meet(topology, 'a', 'b'));
  await a.node.decide((topology) => replicate(topology, a.node.self, 'b'));
  await beat(b, a);
  const [documents, { revision }] = [new Map(store.documents), store];
  await a.node.decide((topology) => askForHandover(topology, 'a', false));
  await settle();
  assert.ok(a.node.isPrimary);
  store.documents.clear();
  for (const [key, document] of documents) store.documents.set(key, document);
  store.revision = revision;
  return { store, a, b };
}

nodes(
  'a primary whose last slot another has taken is a replica of that, with its own',
  async () => {
    const { a, add, others, store } = await group('c');
    const b = add('b');
    await beat(b);
    await b.node.decide((topology) => meet(topology, 'b', 'a'));
    const give = (...ranges: readonly SlotRange[]): void => {
      store.write([putSlots({ ranges, open: {} })], undefined);
    };
    give([0, 0, 'group of a'], [1, 16_383, 'group of b']);
    await beat(a, b, ...others);
    assert.is(a.host.role, 'primary');
    give([0, 16_383, 'group of b']);
    await beat(a, b, ...others);
    await beat(a, b, ...others);
    assert.equal(
      [a, b, ...others].map(({ host }) => host.role),
      ['replica of b', 'primary', 'replica of b'],
    );
    assert.equal([...a.node.topology.groups.keys()], ['group of b']);
  },
);

nodes('a primary whose slots nobody has taken stays one', async () => {
  const { a } = await group();
  const all = Array.from({ length: 16_384 }, (_, slot) => slot);
  await a.node.decide((topology) => deleteSlots(topology, 'a', all));
  await beat(a);
  await beat(a);
  assert.is(a.host.role, 'primary');
});

nodes.run();
