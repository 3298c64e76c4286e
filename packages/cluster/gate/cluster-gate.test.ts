/** Decisions about commands in a cluster: which node runs them, and when none does. */

import { Arguments, commandTable, type EndpointType } from '#commands';
import type { Client } from '#router';
import { pointedAt } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClusterGate } from './cluster-gate.ts';
import { SlotCode, SlotTable } from '../slots/slot-table.ts';

const gate = suite('gate of a cluster');

// Slots of the keys: a 15495, b 3300, {a}1 15495.
const SLOT_OF_A = 15_495;
const SLOT_OF_B = 3_300;

function stage(databases = 1) {
  const table = new SlotTable();
  table.codes.fill(SlotCode.own);
  table.hasGaps = false;
  table.isPrimary = true;
  table.ownGroup = 'own';
  table.placeOf = (code) => {
    const own = { group: 'own', host: 'h', port: 7_001, tlsPort: 7_101, hostname: 'h.example' };
    if (code === SlotCode.first) return own;
    const other = { group: 'other', host: 'o', port: 7_002, tlsPort: 0, hostname: '' };
    return code > SlotCode.first ? other : undefined;
  };
  const state = {
    nowUs: 0,
    needsAll: true,
    readsWhenDown: false,
    channelsWhenDown: true,
    endpoints: 'ip' as EndpointType,
  };
  const redirects: string[] = [];
  const judged = new ClusterGate({
    databases,
    table,
    lease: { writesUntilMs: 1_000 },
    nowUs: () => state.nowUs,
    turnUs: () => state.nowUs,
    requiresFullCoverage: () => state.needsAll,
    allowsReadsWhenDown: () => state.readsWhenDown,
    allowsShardChannelsWhenDown: () => state.channelsWhenDown,
    endpointType: () => state.endpoints,
    problem: () => 'etcd is away',
    mayWrite: (entry) => entry.isWrite,
    redirected: (kind) => {
      redirects.push(kind);
    },
  });
  const client = {
    replies: { nextSequence: 0 },
    session: { asking: undefined, readsFromReplica: false },
    transaction: undefined,
    socket: { tls: undefined },
  } as unknown as Client;
  const judge = (line: string): string | undefined => {
    const args = pointedAt(new Arguments(), line);
    const entry = commandTable.byName(line.split(' ')[0] ?? '')!;
    const verdict = judged.judge(client, entry, args)?.text;
    client.replies.nextSequence += 1;
    return verdict;
  };
  const judgeWaiting = (slot: number, name = 'BLPOP'): string | undefined =>
    judged.judgeWaiting(client, commandTable.byName(name)!, slot)?.text;
  return { table, state, client, judge, judgeWaiting, redirects };
}

gate('own slots are served, and commands without keys always', () => {
  const { judge } = stage();
  assert.is(judge('SET a 1'), undefined);
  assert.is(judge('MGET a {a}1'), undefined);
  assert.is(judge('PING'), undefined);
  assert.is(judge('EVAL return 0'), undefined);
});

gate('keys of several slots are refused', () => {
  const { judge, redirects } = stage();
  const text = "CROSSSLOT Keys in request don't hash to the same slot";
  assert.is(judge('MGET a b'), text);
  assert.is(judge('EVAL return 2 a b'), text);
  assert.is(judge('SSUBSCRIBE a b'), text);
  assert.equal(redirects, ['crossslot', 'crossslot', 'crossslot']);
});

gate("other groups' slots are sent on", () => {
  const { table, judge, client } = stage();
  table.codes[SLOT_OF_A] = SlotCode.first + 1;
  assert.is(judge('GET a'), 'MOVED 15495 o:7002');
  assert.is(judge('SPUBLISH a m'), 'MOVED 15495 o:7002');
  table.codes[SLOT_OF_A] = SlotCode.first;
  Object.assign(client, { socket: { tls: {} } });
  assert.is(judge('GET a'), 'MOVED 15495 h:7101');
});

gate('clients are sent to the place that they prefer', () => {
  const { table, judge, state } = stage();
  table.codes.fill(SlotCode.first);
  table.codes[SLOT_OF_B] = SlotCode.first + 1;
  state.endpoints = 'hostname';
  assert.is(judge('GET a'), 'MOVED 15495 h.example:7001');
  assert.is(judge('GET b'), 'MOVED 3300 ?:7002');
  state.endpoints = 'unknown-endpoint';
  assert.is(judge('GET a'), 'MOVED 15495 :7001');
});

gate('a replica serves shard channels of its group to everybody', () => {
  const { table, judge } = stage();
  table.codes.fill(SlotCode.first);
  table.codes[SLOT_OF_B] = SlotCode.first + 1;
  table.isPrimary = false;
  assert.is(judge('SPUBLISH a x'), undefined);
  assert.is(judge('SSUBSCRIBE a'), undefined);
  assert.is(judge('SUNSUBSCRIBE a'), 'MOVED 15495 h:7001');
  assert.is(judge('SPUBLISH b x'), 'MOVED 3300 o:7002');
});

gate(
  'shard channels of own slots are served while the cluster is down, unless that is forbidden',
  () => {
    const { table, state, judge } = stage();
    table.hasGaps = true;
    table.codes[SLOT_OF_B] = SlotCode.first + 1;
    assert.is(judge('SPUBLISH a x'), undefined);
    assert.is(judge('SPUBLISH b x'), 'MOVED 3300 o:7002');
    state.nowUs = 1_000_000;
    assert.is(judge('SSUBSCRIBE a'), undefined);
    state.nowUs = 0;
    state.channelsWhenDown = false;
    assert.is(judge('SPUBLISH a x'), 'CLUSTERDOWN The cluster is down');
    state.readsWhenDown = true;
    assert.is(judge('SPUBLISH a x'), 'CLUSTERDOWN The cluster is down');
    assert.is(judge('GET b'), 'MOVED 3300 o:7002', 'reads are sent on');
    assert.is(judge('SET b 1'), 'CLUSTERDOWN The cluster is down and only accepts read commands');
  },
);

gate('a replica serves reads to those who have asked for it', () => {
  const { table, judge, client } = stage();
  table.codes.fill(SlotCode.first);
  table.isPrimary = false;
  assert.is(judge('GET a'), 'MOVED 15495 h:7001');
  client.session.readsFromReplica = true;
  assert.is(judge('GET a'), undefined);
  assert.is(judge('SET a 1'), 'MOVED 15495 h:7001');
  table.codes[SLOT_OF_B] = SlotCode.first + 1;
  assert.is(judge('GET b'), 'MOVED 3300 o:7002');
});

gate('ASKING is for the command behind it, or for a transaction', () => {
  const { table, judge, client } = stage();
  table.codes[SLOT_OF_A] = SlotCode.first + 1;
  table.importing = new Set([SLOT_OF_A]);
  const moved = 'MOVED 15495 o:7002';
  assert.is(judge('GET a'), moved);
  assert.is(judge('ASKING'), undefined);
  assert.is(judge('GET a'), undefined);
  assert.is(judge('GET a'), moved);
  judge('ASKING');
  judge('MULTI');
  Object.assign(client, { transaction: {} });
  assert.is(judge('GET a'), undefined);
  assert.is(judge('SET a 1'), undefined);
  assert.is(judge('RESTORE-ASKING a 0 x'), undefined);
});

gate('while nobody has some slots, none is served where all are asked for', () => {
  const { table, state, judge } = stage();
  table.hasGaps = true;
  table.codes[SLOT_OF_B] = SlotCode.nobody;
  assert.is(judge('GET a'), 'CLUSTERDOWN The cluster is down');
  assert.is(judge('GET b'), 'CLUSTERDOWN Hash slot not served');
  state.needsAll = false;
  assert.is(judge('SET a 1'), undefined);
  assert.is(judge('GET b'), 'CLUSTERDOWN Hash slot not served');
  state.needsAll = true;
  state.readsWhenDown = true;
  assert.is(judge('GET a'), undefined);
  assert.is(judge('SET a 1'), 'CLUSTERDOWN The cluster is down and only accepts read commands');
});

gate('when the lease is not sure nothing is written', () => {
  const { state, judge } = stage();
  state.nowUs = 999_999;
  assert.is(judge('SET a 1'), undefined);
  state.nowUs = 1_000_000;
  const text = 'CLUSTERDOWN The lease of this node is uncertain: etcd is away';
  assert.is(judge('SET a 1'), text);
  assert.is(judge('GET a'), text);
  state.readsWhenDown = true;
  assert.is(judge('GET a'), undefined);
  assert.is(judge('SET a 1'), text);
});

gate('who waits for a key goes where its slot goes', () => {
  const { table, state, client, judgeWaiting } = stage();
  assert.is(judgeWaiting(SLOT_OF_A), undefined);
  table.codes[SLOT_OF_A] = SlotCode.first + 1;
  assert.is(judgeWaiting(SLOT_OF_A), 'MOVED 15495 o:7002');
  table.importing = new Set([SLOT_OF_A]);
  assert.is(judgeWaiting(SLOT_OF_A), undefined);
  table.codes[SLOT_OF_B] = SlotCode.nobody;
  assert.is(judgeWaiting(SLOT_OF_B), 'CLUSTERDOWN Hash slot not served');
  table.codes[SLOT_OF_B] = SlotCode.first;
  client.session.readsFromReplica = true;
  table.ownGroup = 'own';
  assert.is(judgeWaiting(SLOT_OF_B), 'MOVED 3300 h:7001');
  assert.is(judgeWaiting(SLOT_OF_B, 'XREAD'), undefined);
  table.hasGaps = true;
  state.readsWhenDown = true;
  assert.is(judgeWaiting(SLOT_OF_B, 'XREAD'), 'CLUSTERDOWN The cluster is down');
});

const refusals: readonly (readonly [line: string, error: string | undefined])[] = [
  ['SELECT 0', undefined],
  ['SELECT 1', 'ERR SELECT is not allowed in cluster mode'],
  ['SWAPDB 0 1', 'ERR SWAPDB is not allowed in cluster mode'],
  ['MOVE a 1', 'ERR MOVE is not allowed in cluster mode'],
  ['COPY a {a}1', undefined],
  ['COPY a {a}1 DB 0', undefined],
  ['COPY a {a}1 DB 2', 'ERR Copying to another database is not allowed in cluster mode'],
  ['REPLICAOF h 1', 'ERR REPLICAOF not allowed in cluster mode'],
  ['FAILOVER', 'ERR FAILOVER not allowed in cluster mode'],
];

for (const [line, error] of refusals) {
  gate(`${line} is ${error === undefined ? 'let through' : 'refused'}`, () => {
    assert.is(stage().judge(line), error);
  });
}

for (const line of ['SELECT 1', 'MOVE a 1', 'COPY a {a}1 DB 2']) {
  gate(`${line} is let through where there are several databases`, () => {
    const { judge, table } = stage(2);
    assert.is(judge(line), undefined);
    table.codes[SLOT_OF_A] = SlotCode.first + 1;
    const isMoved = line.startsWith('SELECT') ? undefined : `MOVED ${SLOT_OF_A} o:7002`;
    assert.is(judge(line), isMoved);
  });
}

gate('CLUSTERSCAN goes where its cursor leads', () => {
  const { judge, table } = stage();
  table.codes[SLOT_OF_A] = SlotCode.first + 1;
  assert.is(judge('CLUSTERSCAN 0-{a}-0'), `MOVED ${SLOT_OF_A} o:7002`);
  assert.is(judge('CLUSTERSCAN 0-{b}-0'), undefined);
  table.codes.fill(SlotCode.nobody);
  assert.is(judge('CLUSTERSCAN 0-{b}-0'), 'CLUSTERDOWN Hash slot not served');
  // The start is anywhere, and an invalid cursor an error of the command.
  for (const cursor of ['0', 'a', '0-{a}']) assert.is(judge(`CLUSTERSCAN ${cursor}`), undefined);
});

gate('SWAPDB is refused with any number of databases', () => {
  assert.is(stage(16).judge('SWAPDB 0 1'), 'ERR SWAPDB is not allowed in cluster mode');
});

gate.run();
