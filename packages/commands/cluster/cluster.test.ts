/** CLUSTER and its like: words, replies and mistakes. The cluster itself is played by the test. */

import { keySlot, SLOT_COUNT } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { call, CallContext } from '../call.test-helper.ts';
import type { EndpointType } from './endpoint.ts';
import type { ClusterNodeDetails, ClusterPort } from './ports.ts';
import { slotOfPattern, tagOfSlot } from './slot-tags.ts';

const cluster = suite('CLUSTER');

const PRIMARY: ClusterNodeDetails = {
  id: 'aaa',
  host: '10.0.0.1',
  port: 7_000,
  plainPort: 7_000,
  tlsPort: 0,
  hostname: '',
  zone: '',
  isMyself: true,
  primary: undefined,
  isPresent: true,
  epoch: 12,
  offset: 40,
  slots: [
    [0, 99],
    [200, 200],
  ],
  migrating: [[7, 'ccc']],
  importing: [[300, 'ccc']],
};
const REPLICA: ClusterNodeDetails = {
  ...PRIMARY,
  id: 'bbb',
  port: 7_001,
  plainPort: 7_001,
  hostname: 'two.example',
  zone: 'zone-b',
  isMyself: false,
  primary: 'aaa',
  isPresent: false,
  slots: [],
  migrating: [],
  importing: [],
};

const MOVE = {
  id: 'mmm',
  operation: 'EXPORT' as const,
  spans: [[1, 3] as const, [7, 7] as const],
  sourceNode: 'aaa',
  targetNode: 'bbb',
  createdMs: 5_000,
  startedMs: 5_100,
  updatedMs: 7_900,
  state: 'replicating' as const,
  message: '',
  keys: 11,
  bytes: 222,
  lagBytes: 3,
  pauseMs: 0,
};

/** In the order in which they began; the running one is followed by two that have ended. */
const MOVES = [
  MOVE,
  {
    ...MOVE,
    id: 'old',
    operation: 'IMPORT' as const,
    startedMs: undefined,
    updatedMs: 6_000,
    state: 'failed' as const,
    message: 'the source was restarted',
    pauseMs: 4,
  },
  { ...MOVE, id: 'new', updatedMs: 8_000, state: 'success' as const, pauseMs: 7 },
];

/** Runs a line against a played cluster; returns what is said at once or later, and what the cluster was asked. */
async function run(
  line: string,
  fails?: string,
  protocol: 2 | 3 = 2,
  endpointType: EndpointType = 'ip',
  running = 2,
) {
  const asked: unknown[] = [];
  const reported = (what: string, ...words: unknown[]): Promise<void> => {
    asked.push([what, ...words]);
    return fails === undefined ? Promise.resolve() : Promise.reject(new Error(fails));
  };
  const port: ClusterPort = {
    id: 'aaa',
    groupId: 'ggg',
    endpointType,
    links: [
      { direction: 'to', node: 'bbb', createdMs: 5_000, queuedBytes: 7 },
      { direction: 'from', node: 'bbb', createdMs: 6_000, queuedBytes: 0 },
    ],
    info: [
      ['cluster_state', 'ok'],
      ['cluster_size', 1],
    ],
    groups: () => [{ id: 'ggg', nodes: [PRIMARY, REPLICA] }],
    countKeys: async (slot, database) => {
      await reported('count', slot, database);
      return 3;
    },
    countsSlotCosts: true,
    slotStatistics: async (first, last) => {
      await reported('statistics', first, last);
      const costs = { us: 1.6, inputBytes: 30, outputBytes: 5, memoryBytes: 99 };
      return [3, 1, 3].map((keys, nth) => ({ slot: nth, keys, costs: { ...costs, us: nth } }));
    },
    keysOf: async (slot, database, count) => {
      await reported('keys', slot, database, count);
      return [Buffer.from('k')];
    },
    scanRangeOf: (slot) => ({ last: slot < 100 ? 99 : 16_383, fingerprint: 'f1' }),
    scanKeys: async ({ pattern, type, ...scan }) => {
      await reported(
        'scan',
        type === undefined ? scan : { ...scan, type },
        ...(pattern ? [Buffer.from(pattern).toString()] : []),
      );
      return { next: scan.place === 0 ? 7 : 0, keys: [Buffer.from('k')] };
    },
    addSlots: (slots) => reported('add', ...slots),
    deleteSlots: (slots) => reported('delete', ...slots),
    flushSlots: () => reported('flush'),
    setSlot: (slot, change) => reported('set', slot, change),
    moves: {
      begin: async (wishes) => {
        for (const { slots, target } of wishes) await reported('move', slots, target);
        return ['mmm', 'ooo'].slice(0, wishes.length);
      },
      import: async (slots) => {
        await reported('import', slots);
        return 'nnn';
      },
      cancel: async (id) => {
        await reported('cancel moves', id ?? 'all');
        return running;
      },
      report: async () => {
        await reported('moves');
        return MOVES;
      },
    },
    meet: (host, number) => reported('meet', host, number),
    forget: (node) => reported('forget', node),
    replicate: (node) => reported('replicate', node),
    reset: (isHard) => reported('reset', isHard),
    failOver: (isForced) => reported('fail over', isForced),
    bumpEpoch: async () => {
      await reported('bump');
      return 9;
    },
  };
  const pubsub = {
    deliver: (command: string) => {
      asked.push(['deliver', command]);
      return 2;
    },
  };
  const context = new CallContext({ protocol, ports: { cluster: port, pubsub } });
  const atOnce = call(context, line);
  await new Promise(setImmediate);
  return { reply: context.deferred.length > 0 ? context.deferred[0] : atOnce, asked, context };
}

const START = '0-{06S}-0';
const FIRST = { first: 0, last: 99, place: 0, database: 0, count: 10 };
const BAD_MIGRATION = "-ERR wrong number of arguments for 'cluster|migration' command";
const BAD_SLOT = '-ERR Invalid or out of range slot';

const BAD_LIMIT = '-ERR Limit has to lie in between 1 and 16384 (maximum number of slots).';
const TWICE = '-ERR Multiple filters of the same type are disallowed.';
const ALL_STATISTICS = ['statistics', 0, 16_383];

/** Statistics of a slot in RESP2. */
function stats(slot: number, keys: number): unknown {
  const bytes = ['network-bytes-in', 30, 'network-bytes-out', 5, 'memory-bytes', 99];
  return [slot, ['key-count', keys, 'cpu-usec', slot, ...bytes]];
}

const cases: readonly (readonly [line: string, reply: unknown, asked?: unknown])[] = [
  ['CLUSTER MYID', 'aaa'],
  ['CLUSTER MYSHARDID', 'ggg'],
  ['CLUSTER INFO', 'cluster_state:ok\r\ncluster_size:1\r\n'],
  ['CLUSTER KEYSLOT a', 15_495],
  ['CLUSTER SAVECONFIG', 'OK'],
  ['CLUSTER COUNTKEYSINSLOT 5', 3, ['count', 5, 0]],
  ['CLUSTER COUNTKEYSINSLOT 16384', '-ERR Invalid slot'],
  ['CLUSTER GETKEYSINSLOT 5 2', ['k'], ['keys', 5, 0, 2]],
  ['CLUSTER GETKEYSINSLOT 5 -1', '-ERR Invalid slot or number of keys'],
  [
    'CLUSTER SLOT-STATS SLOTSRANGE 0 2',
    [stats(0, 3), stats(1, 1), stats(2, 3)],
    ['statistics', 0, 2],
  ],
  ['CLUSTER SLOT-STATS ORDERBY key-count LIMIT 2', [stats(0, 3), stats(2, 3)], ALL_STATISTICS],
  ['CLUSTER SLOT-STATS orderby KEY-COUNT asc limit 1', [stats(1, 1)], ALL_STATISTICS],
  ['CLUSTER SLOT-STATS ORDERBY cpu-usec LIMIT 1 DESC', [stats(2, 3)], ALL_STATISTICS],
  [
    'CLUSTER SLOT-STATS SLOTSRANGE 2 1',
    '-ERR Start slot number 2 is greater than end slot number 1',
  ],
  ['CLUSTER SLOT-STATS SLOTSRANGE 0 16384', BAD_SLOT],
  ['CLUSTER SLOT-STATS ORDERBY heat', '-ERR Unrecognized sort metric for ORDERBY.'],
  ['CLUSTER SLOT-STATS ORDERBY key-count LIMIT 0', BAD_LIMIT],
  ['CLUSTER SLOT-STATS ORDERBY key-count LIMIT x', BAD_LIMIT],
  ['CLUSTER SLOT-STATS ORDERBY key-count LIMIT', '-ERR syntax error'],
  ['CLUSTER SLOT-STATS ORDERBY key-count ASC DESC', TWICE],
  ['CLUSTER SLOT-STATS ORDERBY key-count LIMIT 1 LIMIT 1', TWICE],
  [
    'CLUSTER SLOT-STATS SLOTSRANGE 0',
    "-ERR unknown subcommand or wrong number of arguments for 'SLOT-STATS'. Try CLUSTER HELP.",
  ],
  ['CLUSTER DELIVER PUBLISH c m', 2, ['deliver', 'PUBLISH']],
  ['CLUSTER DELIVER spublish c m', 2, ['deliver', 'SPUBLISH']],
  ['CLUSTER DELIVER NODE bbb', 0],
  ['CLUSTER DELIVER PUBLISH c', '-ERR CLUSTER DELIVER takes PUBLISH, SPUBLISH or NODE'],
  ['CLUSTER DELIVER PUBLISH c m n', "-ERR wrong number of arguments for 'cluster|deliver' command"],
  ['CLUSTER DELIVER SET c m', '-ERR CLUSTER DELIVER takes PUBLISH, SPUBLISH or NODE'],
  ['CLUSTER ADDSLOTS 1 2', 'OK', ['add', 1, 2]],
  ['CLUSTER ADDSLOTS 1 x', BAD_SLOT],
  ['CLUSTER ADDSLOTS 1 1', '-ERR Slot 1 specified multiple times'],
  ['CLUSTER ADDSLOTSRANGE 1 3 5 5', 'OK', ['add', 1, 2, 3, 5]],
  ['CLUSTER ADDSLOTSRANGE 3 1', '-ERR start slot number 3 is greater than end slot number 1'],
  [
    'CLUSTER ADDSLOTSRANGE 1 2 3',
    "-ERR wrong number of arguments for 'cluster|addslotsrange' command",
  ],
  ['CLUSTER DELSLOTS 4', 'OK', ['delete', 4]],
  ['CLUSTER DELSLOTSRANGE 4 5', 'OK', ['delete', 4, 5]],
  ['CLUSTER FLUSHSLOTS', 'OK', ['flush']],
  ['CLUSTER SETSLOT 7 MIGRATING ccc', 'OK', ['set', 7, { kind: 'migrating', node: 'ccc' }]],
  ['CLUSTER SETSLOT 7 importing ccc', 'OK', ['set', 7, { kind: 'importing', node: 'ccc' }]],
  ['CLUSTER SETSLOT 7 NODE ccc', 'OK', ['set', 7, { kind: 'node', node: 'ccc' }]],
  ['CLUSTER SETSLOT 7 STABLE', 'OK', ['set', 7, { kind: 'stable' }]],
  [
    'CLUSTER SETSLOT 7 MIGRATING',
    '-ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP',
  ],
  ['CLUSTER MIGRATE-SLOTS 1 3 7 7 TO bbb', 'mmm', ['move', [1, 2, 3, 7], 'bbb']],
  ['CLUSTER MIGRATE-SLOTS 1-3 to bbb', 'mmm', ['move', [1, 2, 3], 'bbb']],
  ['CLUSTER MIGRATE-SLOTS 1-3 2-4 TO bbb', '-ERR Slot 2 specified multiple times'],
  [
    'CLUSTER MIGRATE-SLOTS 3-1 TO bbb',
    '-ERR start slot number 3 is greater than end slot number 1',
  ],
  ['CLUSTER MIGRATE-SLOTS 1-2-3 TO bbb', BAD_SLOT],
  ['CLUSTER MIGRATE-SLOTS 1 16384 TO bbb', BAD_SLOT],
  [
    'CLUSTER MIGRATE-SLOTS 1 2 3 TO bbb',
    '-ERR Syntax error: ranges of slots, TO and a node are wanted',
  ],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE 1 3 7 7 NODE bbb', 'OK', ['move', [1, 2, 3, 7], 'bbb']],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE 0 16383 NODE b 1', '-ERR syntax error'],
  ['CLUSTER MIGRATESLOTS 1 3 NODE bbb', '-ERR syntax error'],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE NODE bbb', '-ERR No slot ranges specified'],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE 1', '-ERR No end slot for final slot range'],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE 1 2 3', '-ERR No end slot for final slot range'],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE 1 NODE bbb', BAD_SLOT],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE 1 16384 NODE bbb', BAD_SLOT],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE -1 2 NODE bbb', BAD_SLOT],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE 1 2', '-ERR syntax error'],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE 1 2 TO bbb', '-ERR syntax error'],
  ['CLUSTER MIGRATESLOTS SLOTSRANGE 1 2 NODE', '-ERR syntax error'],
  [
    'CLUSTER MIGRATESLOTS SLOTSRANGE 3 1 NODE bbb',
    '-ERR Start slot number 3 is greater than end slot number 1.',
  ],
  [
    'CLUSTER MIGRATESLOTS SLOTSRANGE 1 5 8 9 5 8 NODE bbb',
    '-ERR Slot range 5-8 overlaps with previous range 1-5.',
  ],
  [
    'CLUSTER MIGRATESLOTS SLOTSRANGE 1 5 NODE bbb SLOTSRANGE 5 6 NODE ccc',
    '-ERR Slot ranges in migrations overlap',
  ],
  [
    'CLUSTER MIGRATESLOTS SLOTSRANGE',
    "-ERR wrong number of arguments for 'cluster|migrateslots' command",
  ],
  ['CLUSTER CANCELSLOTMIGRATIONS', 'OK', ['cancel moves', 'all']],
  ['CLUSTER MIGRATION IMPORT 1 3 7 7', 'nnn', ['import', [1, 2, 3, 7]]],
  ['CLUSTER MIGRATION IMPORT 100', BAD_MIGRATION],
  ['CLUSTER MIGRATION IMPORT 100 200 300', BAD_MIGRATION],
  [
    'CLUSTER MIGRATION IMPORT 200 100',
    '-ERR start slot number 200 is greater than end slot number 100',
  ],
  ['CLUSTER MIGRATION IMPORT 0 16384', BAD_SLOT],
  ['CLUSTER MIGRATION IMPORT -1 2', BAD_SLOT],
  ['CLUSTER MIGRATION IMPORT 10 a', BAD_SLOT],
  ['CLUSTER MIGRATION IMPORT 1 5 5 9', '-ERR Slot 5 specified multiple times'],
  ['CLUSTER MIGRATION CANCEL ID mmm', 2, ['cancel moves', 'mmm']],
  ['CLUSTER MIGRATION cancel all', 2, ['cancel moves', 'all']],
  ['CLUSTER MIGRATION CANCEL ID', BAD_MIGRATION],
  ['CLUSTER MIGRATION CANCEL ID 12345 EXTRA', BAD_MIGRATION],
  ['CLUSTER MIGRATION CANCEL ALL EXTRA', BAD_MIGRATION],
  ['CLUSTER MIGRATION CANCEL a b c', BAD_MIGRATION],
  ['CLUSTER MIGRATION CANCEL abc def', '-ERR unknown argument'],
  ['CLUSTER MIGRATION STATUS abc', '-ERR unknown argument'],
  ['CLUSTER MIGRATION STATUS ID', BAD_MIGRATION],
  ['CLUSTER MIGRATION STATUS ALL EXTRA', BAD_MIGRATION],
  ['CLUSTER MIGRATION STATUS ID nothing', [], ['moves']],
  ['CLUSTER MIGRATION UNKNOWN 1 2', '-ERR unknown argument'],
  ['CLUSTERSCAN 0', [START, []]],
  ['CLUSTERSCAN 0 COUNT 5 match user:* TYPE hash', [START, []]],
  ['CLUSTERSCAN 0 SLOT 1', ['0-{Qi}-0', []]],
  ['CLUSTERSCAN 0 MATCH {Qi}-*', ['0-{Qi}-0', []]],
  ['CLUSTERSCAN 0 MATCH {06S}* SLOT 1', ['0', []]],
  ['CLUSTERSCAN 0-{06S}-0 MATCH {Qi}*', ['0-{Qi}-0', []]],
  ['CLUSTERSCAN 0-{Qi}-0 MATCH {06S}*', ['0', []]],
  [`CLUSTERSCAN ${START}`, [`f1-{06S}-${7 * 16_384 + 99}`, ['k']], ['scan', FIRST]],
  [
    `CLUSTERSCAN f1-{06S}-${3 * 16_384 + 50} COUNT 20 TYPE hash MATCH u*`,
    ['0-{6od}-0', ['k']],
    ['scan', { ...FIRST, last: 50, place: 3, count: 20, type: 5 }, 'u*'],
  ],
  // Of another process: from the beginning, up to where the slots end now.
  [
    `CLUSTERSCAN f2-{06S}-${3 * 16_384 + 50}`,
    [`f1-{06S}-${7 * 16_384 + 99}`, ['k']],
    ['scan', FIRST],
  ],
  // A range that has grown ends where it did.
  [
    `CLUSTERSCAN f1-{06S}-${3 * 16_384 + 200}`,
    [`0-{${tagOfSlot(100)}}-0`, ['k']],
    ['scan', { ...FIRST, place: 3 }],
  ],
  [
    `CLUSTERSCAN f1-{06S}-${3 * 16_384} SLOT 0`,
    ['0', ['k']],
    ['scan', { ...FIRST, last: 0, place: 3 }],
  ],
  [
    `CLUSTERSCAN f1-{6ZJ}-${3 * 16_384 + 16_383}`,
    ['0', ['k']],
    ['scan', { ...FIRST, first: 16_383, last: 16_383, place: 3 }],
  ],
  ...['invalid', 'abc-def-ghi', '0-', '0-{0}', '0-{}-0', '0-{0}-', '1'].map(
    (cursor) => [`CLUSTERSCAN ${cursor}`, '-ERR Invalid cursor'] as const,
  ),
  [`CLUSTERSCAN ${START} SLOT 1`, '-ERR Cursor slot mismatch'],
  [`CLUSTERSCAN ${START} SLOT 20000`, BAD_SLOT],
  [`CLUSTERSCAN ${START} SLOT 0 SLOT 0`, '-ERR SLOT option can only be specified once'],
  ['CLUSTERSCAN 0 TYPE notatype', "-ERR unknown type name 'notatype'"],
  ['CLUSTERSCAN 0 COUNT 0', '-ERR syntax error'],
  ['CLUSTERSCAN 0 COUNT x', '-ERR value is not an integer or out of range'],
  ['CLUSTERSCAN 0 COUNT 10 BADOPTION', '-ERR syntax error'],
  ['CLUSTERSCAN 0 SLOT', '-ERR syntax error'],
  ['CLUSTER MEET 10.0.0.2 7002', 'OK', ['meet', '10.0.0.2', 7_002]],
  ['CLUSTER MEET 10.0.0.2 7002 17002', 'OK', ['meet', '10.0.0.2', 7_002]],
  ['CLUSTER MEET 10.0.0.2 x', '-ERR Invalid base port specified: x'],
  ['CLUSTER MEET 10.0.0.2 70000', '-ERR Invalid node address specified: 10.0.0.2:70000'],
  ['CLUSTER FORGET bbb', 'OK', ['forget', 'bbb']],
  ['CLUSTER REPLICATE bbb', 'OK', ['replicate', 'bbb']],
  ['CLUSTER RESET', 'OK', ['reset', false]],
  ['CLUSTER RESET soft', 'OK', ['reset', false]],
  ['CLUSTER RESET HARD', 'OK', ['reset', true]],
  ['CLUSTER RESET HARD SOFT', '-ERR syntax error'],
  ['CLUSTER FAILOVER', 'OK', ['fail over', false]],
  ['CLUSTER FAILOVER FORCE', 'OK', ['fail over', true]],
  ['CLUSTER FAILOVER TAKEOVER', 'OK', ['fail over', true]],
  ['CLUSTER FAILOVER now', '-ERR syntax error'],
  ['CLUSTER BUMPEPOCH', 'BUMPED 9', ['bump']],
  [
    'CLUSTER SET-CONFIG-EPOCH 3',
    '-ERR Epochs are revisions of the coordinator, which cannot be set',
  ],
  ['CLUSTER COUNT-FAILURE-REPORTS bbb', 0],
  ['CLUSTER COUNT-FAILURE-REPORTS x', '-ERR Unknown node x'],
  ['CLUSTER REPLICAS x', '-ERR Unknown node x'],
  ['CLUSTER SLAVES bbb', '-ERR The specified node is not a master'],
  ['ASKING', 'OK'],
  ['READONLY', 'OK'],
  ['READWRITE', 'OK'],
];

for (const [line, reply, asked] of cases) {
  cluster(line, async () => {
    const found = await run(line);
    assert.equal(found.reply, reply);
    assert.equal(found.asked, asked === undefined ? [] : [asked]);
  });
}

const PRIMARY_LINE =
  'aaa 10.0.0.1:7000@0 myself,master - 0 0 12 connected 0-99 200 [7->-ccc] [300-<-ccc]';
const REPLICA_LINE = 'bbb 10.0.0.1:7001@0,two.example slave,fail aaa 0 0 12 disconnected';

cluster('CLUSTER NODES has a line for each node', async () => {
  const { reply } = await run('CLUSTER NODES');
  assert.is(reply, `${PRIMARY_LINE}\n${REPLICA_LINE}\n`);
  assert.equal((await run('CLUSTER REPLICAS aaa')).reply, [REPLICA_LINE]);
});

cluster('CLUSTER SLOTS tells ranges with the nodes that are there', async () => {
  const place = ['10.0.0.1', 7_000, 'aaa', []];
  assert.equal((await run('CLUSTER SLOTS')).reply, [
    [0, 99, place],
    [200, 200, place],
  ]);
});

cluster(
  'CLUSTER SLOTS tells the place that is preferred, and beside it what else is known',
  async () => {
    const placeFor = async (type: EndpointType): Promise<unknown> => {
      const { reply } = await run('CLUSTER SLOTS', undefined, 3, type);
      return (reply as [[number, number, unknown]])[0][2];
    };
    assert.equal(await placeFor('hostname'), ['?', 7_000, 'aaa', new Map([['ip', '10.0.0.1']])]);
    assert.equal(await placeFor('unknown-endpoint'), [
      null,
      ...[7_000, 'aaa', new Map([['ip', '10.0.0.1']])],
    ]);
  },
);

cluster('CLUSTER SHARDS has the endpoint beside the address', async () => {
  const { reply } = await run('CLUSTER SHARDS', undefined, 2, 'hostname');
  const [[, , , nodes]] = reply as [[string, unknown, string, unknown[][]]];
  const ofNode = (nth: number): unknown[] => nodes[nth]!.slice(4, 8);
  assert.equal(ofNode(0), ['ip', '10.0.0.1', 'endpoint', '?']);
  assert.equal(ofNode(1), ['ip', '10.0.0.1', 'endpoint', 'two.example']);
});

cluster('CLUSTER LINKS tells the connections to and from other nodes', async () => {
  const link = (direction: string, created: number, bytes: number, events: string): unknown[] => [
    ...['direction', direction, 'node', 'bbb', 'create-time', created, 'events', events],
    ...['send-buffer-allocated', bytes, 'send-buffer-used', bytes],
  ];
  const { reply } = await run('CLUSTER LINKS');
  assert.equal(reply, [link('to', 5_000, 7, 'rw'), link('from', 6_000, 0, 'r')]);
});

cluster('CLUSTER DELIVER NODE is kept with the client', async () => {
  const { context } = await run('CLUSTER DELIVER NODE bbb');
  assert.is(context.client.session.peerNode, 'bbb');
});

cluster('CLUSTER SHARDS tells groups with all of their nodes', async () => {
  const { reply } = await run('CLUSTER SHARDS');
  const [[, slots, , nodes]] = reply as [[string, unknown, string, unknown[][]]];
  assert.equal(slots, [0, 99, 200, 200]);
  assert.equal(nodes[0]?.slice(0, 4), ['id', 'aaa', 'port', 7_000]);
  assert.equal(nodes[0]?.slice(-2), ['health', 'online']);
  assert.equal(nodes[1]?.slice(-4), ['health', 'fail', 'availability-zone', 'zone-b']);
});

cluster('CLUSTER GETSLOTMIGRATIONS tells how far moves are', async () => {
  const { reply } = await run('CLUSTER GETSLOTMIGRATIONS');
  const [fields] = reply as [unknown[]];
  assert.equal(fields.slice(0, 6), [
    ...['name', 'mmm'],
    ...['operation', 'EXPORT'],
    ...['slot_ranges', '1-3 7-7'],
  ]);
  assert.equal(fields.slice(-8), [
    ...['remaining_repl_size', 3],
    ...['keys', 11],
    ...['bytes', 222],
    ...['pause_ms', 0],
  ]);
});

cluster('CLUSTER MIGRATESLOTS begins all of its moves in one call', async () => {
  const line = 'MIGRATESLOTS slotsrange 9 9 1 1 node bbb SLOTSRANGE 2 3 NODE ccc';
  const { reply, asked } = await run(`CLUSTER ${line}`);
  assert.is(reply, 'OK');
  assert.equal(asked, [
    ['move', [9, 1], 'bbb'],
    ['move', [2, 3], 'ccc'],
  ]);
});

cluster('CLUSTER CANCELSLOTMIGRATIONS without a running move is an error', async () => {
  const { reply } = await run('CLUSTER CANCELSLOTMIGRATIONS', undefined, 2, 'ip', 0);
  assert.is(reply, '-ERR No migrations ongoing');
});

cluster('each slot has a tag', () => {
  for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
    const tag = tagOfSlot(slot);
    assert.match(tag, /^[0-9A-Za-z]{1,3}$/);
    assert.is(keySlot(Buffer.from(tag), 0, tag.length), slot);
  }
});

const patterns: readonly (readonly [pattern: string, key: string | undefined])[] = [
  ['{a}*', 'a'],
  ['b{a}?', 'a'],
  ['abc', 'abc'],
  ['{a}', 'a'],
  ['{}a', '{}a'],
  ['*{a}', undefined],
  ['{a*}', undefined],
  ['{}a*', undefined],
  ['{}{a}*', undefined],
  ['[{a}]', undefined],
  ['\\{a}*', undefined],
  ['a*', undefined],
  ['{a', '{a'],
  ['{a*', undefined],
];
for (const [pattern, key] of patterns) {
  cluster(`${pattern} is of ${key === undefined ? 'several slots' : `the slot of ${key}`}`, () => {
    const slot = key === undefined ? undefined : keySlot(Buffer.from(key), 0, key.length);
    assert.is(slotOfPattern(Buffer.from(pattern)), slot);
  });
}

cluster('CLUSTER MIGRATION STATUS has running migrations first, then the latest', async () => {
  const { reply } = await run('CLUSTER MIGRATION STATUS ALL', undefined, 3);
  const all = (reply as ReadonlyMap<string, unknown>[]).map((fields) => [...fields]);
  assert.equal(
    all.map((fields) => fields[0]?.[1]),
    ['mmm', 'new', 'old'],
  );
  const common = [
    ['slots', '1-3 7-7'],
    ['source', 'aaa'],
    ['dest', 'bbb'],
  ];
  const [running, done, failed] = all.map((fields) => fields.slice(1));
  assert.equal(running, [
    ...common,
    ['operation', 'migrate'],
    ['state', 'send-stream'],
    ['last_error', ''],
    ['retries', 0],
    ['create_time', 5_000],
    ['start_time', 5_100],
    ['end_time', -1],
    ['write_pause_ms', 0],
  ]);
  assert.equal(Object.fromEntries(done!)['write_pause_ms'], 7);
  assert.equal(failed?.slice(3), [
    ['operation', 'import'],
    ['state', 'failed'],
    ['last_error', 'the source was restarted'],
    ['retries', 0],
    ['create_time', 5_000],
    ['start_time', -1],
    ['end_time', 6_000],
    ['write_pause_ms', 0],
  ]);
  const one = await run('CLUSTER MIGRATION STATUS ID old');
  assert.equal(
    (one.reply as unknown[][]).map((fields) => fields[1]),
    ['old'],
  );
});

cluster('what cannot be done is an error with the reason', async () => {
  const { reply } = await run('CLUSTER ADDSLOTS 1', 'Slot 1 is already busy');
  assert.is(reply, '-ERR Slot 1 is already busy');
});

cluster('READONLY and READWRITE are kept with the client', async () => {
  const { context } = await run('READONLY');
  assert.is(context.client.session.readsFromReplica, true);
  call(context, 'READWRITE');
  assert.is(context.client.session.readsFromReplica, false);
});

cluster('without a cluster CLUSTERSCAN is refused', () => {
  const context = new CallContext({ ports: { cluster: undefined } });
  const disabled = '-ERR This instance has cluster support disabled';
  assert.is(call(context, 'CLUSTERSCAN 0'), disabled);
});

cluster('without a cluster all of it is refused but HELP', () => {
  const context = new CallContext({ ports: { cluster: undefined } });
  const disabled = '-ERR This instance has cluster support disabled';
  for (const line of ['CLUSTER INFO', 'CLUSTER ADDSLOTS 1', 'ASKING', 'READONLY', 'READWRITE']) {
    assert.is(call(context, line), disabled, line);
  }
  assert.ok((call(context, 'CLUSTER HELP') as string[]).length > 20);
});

cluster.run();
