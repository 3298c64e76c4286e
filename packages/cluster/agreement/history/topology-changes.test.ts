/** Events are what two pictures of a cluster differ in, as one node sees them. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Topology } from '../topology.ts';
import { topologyChanges } from './topology-changes.ts';

const changes = suite('changes of a topology');

const place = { host: 'h', port: 1, tlsPort: 0, hostname: '' };

function node(run = 'first'): string {
  const data = { streamId: 's', offset: 0, standsFor: -1, noFailover: false };
  return JSON.stringify({ ...place, version: '1', run, ...data });
}

function group(primary: string, replicas: readonly string[], reason = 'founded'): string {
  return JSON.stringify({ primary, replicas, addresses: {}, hasMet: true, reason });
}

/** A picture of documents by their keys. */
function picture(revision: number, documents: Readonly<Record<string, string>>): Topology {
  const entries = Object.entries(documents).map(([key, value]) => ({ key, value, revision }));
  return Topology.of(entries, revision);
}

const before = {
  'nodes/a': node(),
  'nodes/b': node(),
  'groups/one': group('a', ['b']),
  slots: JSON.stringify({ ranges: [[0, 9, 'one']], open: {} }),
};

function reported(after: Readonly<Record<string, string>>): string[] {
  return topologyChanges(picture(1, before), picture(2, after), 'b').map(
    ({ event, node: about, before: old, failover = '', reason }) =>
      [event, about, old, failover, reason].filter((word) => word !== '').join(' / '),
  );
}

const withoutA = Object.fromEntries(Object.entries(before).filter(([key]) => key !== 'nodes/a'));

const cases: readonly (readonly [
  what: string,
  after: Readonly<Record<string, string>>,
  expected: readonly string[],
])[] = [
  ['nothing is another', before, []],
  ['a lease ends', withoutA, ['node-down / a / its lease expired or was revoked']],
  [
    'a replica takes over',
    { ...withoutA, 'groups/one': group('b', ['a'], 'the primary had no lease') },
    [
      'failover / b / a / lease-lost / the primary had no lease',
      'node-down / a / its lease expired or was revoked',
    ],
  ],
  [
    'a primary hands over',
    { ...before, 'groups/one': group('b', ['a'], 'the primary handed over its role') },
    ['failover / b / a / handover / the primary handed over its role'],
  ],
  [
    'a node is started anew',
    { ...before, 'nodes/a': node('second') },
    ['node-up / a / it restarted'],
  ],
  [
    'a group comes with its slots',
    {
      ...before,
      'nodes/c': node(),
      'groups/two': group('c', []),
      slots: JSON.stringify({
        ranges: [
          [0, 4, 'one'],
          [5, 9, 'two'],
        ],
        open: {},
      }),
    },
    [
      'slots / a / it has 5 slots, and had 10',
      'group-added / c / founded',
      'node-up / c / it has a lease',
      'slots / c / it has 5 slots, and had 0',
    ],
  ],
  [
    'a replica leaves',
    { ...before, 'groups/one': group('a', []) },
    ['group-removed / it is no longer seen'],
  ],
];

for (const [what, after, expected] of cases) {
  changes(what, () => {
    assert.equal(reported(after), expected);
  });
}

changes('the first picture is no news', () => {
  assert.equal(topologyChanges(Topology.nothing, picture(1, before), 'b'), []);
});

changes.run();
