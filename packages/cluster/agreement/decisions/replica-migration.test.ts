/** Replicas that can be spared, and primaries that have lost theirs. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Topology } from '../topology.ts';
import { migrate, orphanFor } from './replica-migration.ts';

const migration = suite('migration of replicas');

const ADDRESS = { host: 'h', port: 1, tlsPort: 0, hostname: '' };

interface PlayedGroup {
  /** The primary first. */
  readonly members: readonly string[];
  readonly reason?: string;
}

/** Groups of nodes with a range of slots each; those that are away have no document. */
function topologyOf(groups: Readonly<Record<string, PlayedGroup>>, away: readonly string[] = []) {
  const names = Object.keys(groups);
  const put = (key: string, value: object) => ({ key, value: JSON.stringify(value), revision: 1 });
  const nodes = names
    .flatMap((name) => groups[name]!.members)
    .filter((id) => !away.includes(id))
    .map((id) => {
      const place = { streamId: 's', offset: 5, standsFor: -1, noFailover: false };
      return put(`nodes/${id}`, { ...ADDRESS, version: '1', run: id, ...place });
    });
  const documents = names.map((name) => {
    const { members, reason = 'founded' } = groups[name]!;
    const [primary, ...replicas] = members;
    return put(`groups/${name}`, { primary, replicas, addresses: {}, hasMet: true, reason });
  });
  const ranges = names.map((name, nth) => [nth, nth, name]);
  return Topology.of([...nodes, ...documents, put('slots', { ranges, open: {} })], 1);
}

const THREE = { members: ['a', 'c', 'b', 'd'] };

migration('the replica with the lowest id of the largest group goes', () => {
  const topology = topologyOf({ one: THREE, two: { members: ['x', 'y'] } }, ['y']);
  assert.is(orphanFor(topology, 'b', 1)?.id, 'two');
  for (const other of ['a', 'c', 'd', 'x', 'y']) {
    assert.is(orphanFor(topology, other, 1), undefined, other);
  }
  assert.is(orphanFor(topology, 'b', 2)?.id, 'two');
  assert.is(orphanFor(topology, 'b', 3), undefined, 'so many have to stay');
});

migration(
  'a group that never had replicas may be meant so, and one that has taken over is not',
  () => {
    const founded = topologyOf({ one: THREE, two: { members: ['x'] } });
    assert.is(orphanFor(founded, 'b', 1), undefined);
    const taken = topologyOf({ one: THREE, two: { members: ['x'], reason: 'it has taken over' } });
    assert.is(orphanFor(taken, 'b', 1)?.id, 'two');
  },
);

migration('a primary that is away itself gets none', () => {
  const topology = topologyOf({ one: THREE, two: { members: ['x', 'y'] } }, ['x', 'y']);
  assert.is(orphanFor(topology, 'b', 1), undefined);
});

migration('the move is one transaction on both groups', () => {
  const topology = topologyOf({ one: THREE, two: { members: ['x', 'y'] } }, ['y']);
  const self = { id: 'b', address: ADDRESS };
  const plan = migrate(topology, self, 1, 'two');
  assert.equal(plan?.guards.map(({ key }) => key).toSorted(), [
    'groups/one',
    'groups/two',
    'slots',
  ]);
  const written = new Map(plan?.writes.map(({ key, value }) => [key, JSON.parse(value ?? '{}')]));
  assert.equal(written.get('groups/one'), {
    primary: 'a',
    replicas: ['c', 'd'],
    addresses: {},
    hasMet: true,
    reason: 'founded',
  });
  assert.equal((written.get('groups/two') as { replicas: unknown }).replicas, ['y', 'b']);
  assert.is(migrate(topology, self, 1, 'three'), undefined, 'another has come first');
});

migration.run();
