/** Removed nodes, and how long they are remembered. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Topology } from '../agreement/topology.ts';
import { GoneNodes } from './gone-nodes.ts';

const gone = suite('nodes that are gone');

const group = (primary: string, replicas: readonly string[]) => ({
  key: 'groups/g',
  value: JSON.stringify({ primary, replicas, addresses: {}, hasMet: true, reason: '' }),
  revision: 1,
});

gone('a node that was known is remembered for a minute, unless it comes back', () => {
  const clock = { ms: 0, nowUs: () => 1_000 * clock.ms };
  const nodes = new GoneNodes(clock);
  nodes.follow(Topology.of([group('a', ['b'])], 1));
  assert.not(nodes.has('b'));
  nodes.follow(Topology.of([group('a', [])], 2));
  assert.ok(nodes.has('b'));
  assert.not(nodes.has('a'));
  assert.not(nodes.has('c'), 'it was never known');
  clock.ms = 60_001;
  assert.not(nodes.has('b'));
  nodes.follow(Topology.of([group('a', ['b'])], 3));
  nodes.follow(Topology.of([group('a', [])], 4));
  assert.ok(nodes.has('b'));
  nodes.follow(Topology.of([group('b', ['a'])], 5));
  assert.not(nodes.has('b'));
});

gone.run();
