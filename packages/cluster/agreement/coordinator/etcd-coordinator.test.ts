/** The way to a real etcd: calls, one stream of renewals, endpoints that fail, watches that are cut, logins, certificates. */
// test-tier: long

import {
  Certificates,
  EtcdMember,
  freePort,
  LinkProxy,
  needs,
  pem,
  request,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CoordinatorError, type Change } from './coordinator.ts';
import { EtcdCoordinator, type EtcdOptions } from './etcd-coordinator.ts';

const coordinators = suite('an etcd as the coordinator');

const LEASE_MS = 30_000;
/** Longer than a reply takes on a busy machine. */
const TIMEOUT_MS = 3_000;
const LOGIN = { username: 'svc', password: 'a word of etcd' };

let members: EtcdMember[] = [];
const proxies: LinkProxy[] = [];
const opened: EtcdCoordinator[] = [];

coordinators.after.each(async () => {
  for (const coordinator of opened.splice(0)) coordinator.close();
  for (const proxy of proxies.splice(0)) await proxy.close();
  for (const member of members.splice(0)) await member.remove();
});

async function startEtcd(
  count = 1,
  options: Parameters<typeof EtcdMember.make>[1] = {},
): Promise<EtcdMember> {
  members = await EtcdMember.make(count, options);
  await Promise.all(members.map((member) => member.start(members)));
  return members[0]!;
}

function open(ports: readonly number[], options: Partial<EtcdOptions> = {}): EtcdCoordinator {
  const coordinator = new EtcdCoordinator({
    endpoints: ports.map((port) => `127.0.0.1:${port}`),
    cluster: 'test',
    username: '',
    password: '',
    tls: undefined,
    timeoutMs: TIMEOUT_MS,
    ...options,
  });
  opened.push(coordinator);
  return coordinator;
}

async function proxyTo({ port }: EtcdMember): Promise<LinkProxy> {
  const proxy = await LinkProxy.to(port);
  proxies.push(proxy);
  return proxy;
}

/** Calls etcd by its HTTP side, as root where a token is given. */
async function post(port: number, path: string, body: object, token = ''): Promise<unknown> {
  const headers: Record<string, string> = token === '' ? {} : { authorization: token };
  const asking = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await request(port, `/v3/${path}`, asking);
  assert.is(answer.status, 200, answer.text);
  return answer.json();
}

/** Waits until etcd has elected a leader, and serves. */
async function serves(coordinator: EtcdCoordinator): Promise<void> {
  await until(
    () =>
      coordinator.read().then(
        () => true,
        () => false,
      ),
    'etcd serves',
  );
}

/** Returns the message with which a call fails. */
async function failure(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    assert.instance(error, CoordinatorError);
    return (error as CoordinatorError).message;
  }
  throw new Error('the call has not failed');
}

function newSink() {
  const seen = { changes: [] as Change[], resumed: 0, ended: [] as string[] };
  return {
    seen,
    changed: (changes: readonly Change[]) => {
      seen.changes.push(...changes);
    },
    resumed: () => {
      seen.resumed += 1;
    },
    ended: (reason: string) => {
      seen.ended.push(reason);
    },
  };
}

/** Returns a counter of etcd's for the streams of renewals. */
async function renewalCount(port: number, counter: string): Promise<number> {
  const { text } = await request(port, '/metrics');
  const line = new RegExp(`^${counter}\\{grpc_method="LeaseKeepAlive".*\\} (\\d+)$`, 'm').exec(
    text,
  );
  return Number(line?.[1] ?? 0);
}

coordinators('documents are written under guards, read whole, and go with a lease', async () => {
  const { port } = await startEtcd();
  const coordinator = open([port]);
  await serves(coordinator);
  const before = await coordinator.read();
  assert.equal(before.entries, []);
  const first = await coordinator.commit(
    [{ key: 'a', revision: 0 }],
    [
      { key: 'a', value: 'one' },
      { key: 'b', value: 'ö' },
    ],
  );
  assert.equal(first, { isDone: true, revision: before.revision + 1 });
  const late = await coordinator.commit([{ key: 'a', revision: 0 }], [{ key: 'a', value: 'two' }]);
  assert.equal(late, { isDone: false, revision: first.revision });
  const guards = [
    { key: 'a', revision: first.revision },
    { key: 'c', revision: 0 },
  ];
  assert.ok((await coordinator.commit(guards, [{ key: 'a', value: undefined }])).isDone);
  const leased = { key: 'mine', value: 'm', isLeased: true };
  assert.match(await failure(coordinator.commit([], [leased])), /there is no lease/);
  assert.is(await coordinator.grant(LEASE_MS), LEASE_MS);
  await coordinator.commit([], [leased]);
  const other = open([port], { cluster: 'another' });
  await other.commit([], [{ key: 'a', value: 'not ours' }]);
  const { entries, source } = await coordinator.read();
  assert.equal(
    entries.map(({ key, value }) => [key, value]),
    [
      ['b', 'ö'],
      ['mine', 'm'],
    ],
  );
  assert.is(entries[0]!.revision, first.revision);
  assert.is(source, before.source);
  assert.match(source, /^\d+$/);
  await coordinator.revoke();
  assert.equal((await coordinator.read()).entries.length, 1);
});

coordinators(
  'one stream carries all renewals of a lease, and one that is gone says so',
  async () => {
    const { port } = await startEtcd();
    const coordinator = open([port]);
    await serves(coordinator);
    await coordinator.grant(LEASE_MS);
    for (let nth = 0; nth < 5; nth += 1) assert.is(await coordinator.keepAlive(), LEASE_MS);
    assert.equal(await Promise.all([coordinator.keepAlive(), coordinator.keepAlive()]), [
      LEASE_MS,
      LEASE_MS,
    ]);
    assert.is(await renewalCount(port, 'grpc_server_started_total'), 1);
    assert.is(await renewalCount(port, 'grpc_server_msg_received_total'), 7);
    const { leases } = (await post(port, 'lease/leases', {})) as { leases: { ID: string }[] };
    assert.is(leases.length, 1);
    await post(port, 'lease/revoke', leases[0]!);
    assert.is(await coordinator.keepAlive(), 0);
    assert.match(await failure(coordinator.keepAlive()), /there is no lease/);
    assert.is(await coordinator.grant(LEASE_MS), LEASE_MS);
    assert.is(await coordinator.keepAlive(), LEASE_MS);
  },
);

coordinators(
  'a renewal without a reply fails, and the next goes to the next endpoint',
  async () => {
    const etcd = await startEtcd();
    const [first, second] = [await proxyTo(etcd), await proxyTo(etcd)];
    const coordinator = open([first.port, second.port]);
    await serves(coordinator);
    await coordinator.grant(LEASE_MS);
    assert.is(await coordinator.keepAlive(), LEASE_MS);
    assert.is(second.taken, 0);
    const sink = newSink();
    coordinator.watch((await coordinator.read()).revision + 1, sink);
    first.isSilent = true;
    assert.match(await failure(coordinator.keepAlive()), /no reply in time/);
    assert.is(await coordinator.keepAlive(), LEASE_MS);
    assert.is(second.taken, 1);
    await until(() => sink.seen.resumed === 1, 'the watch has moved too');
    await coordinator.commit([], [{ key: 'a', value: '1' }]);
    await until(() => sink.seen.changes.length === 1, 'the watch brings what is new');
    // Back at the first when the second fails.
    first.isSilent = false;
    second.isSilent = true;
    assert.match(await failure(coordinator.keepAlive()), /no reply in time/);
    assert.is(await coordinator.keepAlive(), LEASE_MS);
  },
);

coordinators('the only endpoint is connected to anew after a renewal without a reply', async () => {
  const proxy = await proxyTo(await startEtcd());
  const coordinator = open([proxy.port]);
  await serves(coordinator);
  await coordinator.grant(LEASE_MS);
  const { taken } = proxy;
  proxy.isSilent = true;
  assert.match(await failure(coordinator.keepAlive()), /no reply in time/);
  proxy.isSilent = false;
  assert.is(await coordinator.keepAlive(), LEASE_MS);
  assert.is(proxy.taken, taken + 1);
});

coordinators('an endpoint where nothing listens is left after one call', async () => {
  const { port } = await startEtcd();
  await serves(open([port]));
  const dead = await freePort(port);
  const coordinator = open([dead, port]);
  assert.match(await failure(coordinator.read()), /^etcd \(127.0.0.1:\d+, .*ECONNREFUSED/);
  assert.ok((await coordinator.read()).revision > 0);
  const hopeless = open([dead]);
  // A reason that lasts has the same words each time: it is logged once.
  assert.is(await failure(hopeless.read()), await failure(hopeless.read()));
});

coordinators('a member that dies: calls, renewals and the watch go on at another', async () => {
  const first = await startEtcd(3);
  const coordinator = open(members.map(({ port }) => port));
  await serves(coordinator);
  await until(
    () =>
      coordinator.grant(LEASE_MS).then(
        () => true,
        () => false,
      ),
    'there is a lease',
  );
  const sink = newSink();
  coordinator.watch((await coordinator.read()).revision + 1, sink);
  await coordinator.commit([], [{ key: 'a', value: '1' }]);
  await until(() => sink.seen.changes.length === 1, 'the watch is there');
  await first.kill();
  await until(
    () =>
      coordinator.keepAlive().then(
        (ttlMs) => ttlMs === LEASE_MS,
        () => false,
      ),
    'the lease is renewed',
  );
  await until(
    () =>
      coordinator.commit([], [{ key: 'b', value: '2' }]).then(
        () => true,
        () => false,
      ),
    'a document is written',
  );
  await until(() => sink.seen.changes.some(({ key }) => key === 'b'), 'the watch goes on');
  assert.equal(sink.seen.ended, []);
  assert.ok(sink.seen.resumed > 0);
});

coordinators('a watch that was cut misses nothing, and delivers nothing twice', async () => {
  const etcd = await startEtcd();
  const proxy = await proxyTo(etcd);
  const [near, direct] = [open([proxy.port]), open([etcd.port])];
  await serves(near);
  const sink = newSink();
  const end = near.watch((await near.read()).revision + 1, sink);
  await direct.commit([], [{ key: 'a', value: '1' }]);
  await until(() => sink.seen.changes.length === 1, 'the watch is there');
  assert.is(sink.seen.resumed, 0);
  proxy.isClosed = true;
  proxy.cut();
  await direct.commit([], [{ key: 'a', value: '2' }]);
  await direct.commit([], [{ key: 'a', value: undefined }]);
  proxy.isClosed = false;
  await until(() => sink.seen.changes.length >= 3, 'what was missed has come');
  assert.is(sink.seen.resumed, 1);
  await direct.commit([], [{ key: 'b', value: '3' }]);
  await until(() => sink.seen.changes.length >= 4, 'and what came later');
  assert.equal(
    sink.seen.changes.map(({ key, value }) => [key, value]),
    [
      ['a', '1'],
      ['a', '2'],
      ['a', undefined],
      ['b', '3'],
    ],
  );
  end();
  const other = newSink();
  near.watch((await near.read()).revision + 1, other);
  await direct.commit([], [{ key: 'c', value: '4' }]);
  await until(() => other.seen.changes.length === 1, 'the other watch has it');
  assert.is(sink.seen.changes.length, 4);
  assert.equal(sink.seen.ended, []);
});

coordinators(
  'a watch whose next revision was compacted ends, and one from there works',
  async () => {
    const etcd = await startEtcd();
    const proxy = await proxyTo(etcd);
    const [near, direct] = [open([proxy.port]), open([etcd.port])];
    await serves(near);
    const sink = newSink();
    near.watch((await near.read()).revision + 1, sink);
    await direct.commit([], [{ key: 'a', value: '1' }]);
    await until(() => sink.seen.changes.length === 1, 'the watch is there');
    proxy.isClosed = true;
    proxy.cut();
    await direct.commit([], [{ key: 'a', value: '2' }]);
    const { revision } = await direct.commit([], [{ key: 'a', value: '3' }]);
    await post(etcd.port, 'kv/compaction', { revision: String(revision), physical: true });
    proxy.isClosed = false;
    await until(() => sink.seen.ended.length > 0, 'the watch has ended');
    assert.equal(sink.seen.ended, [`changes before revision ${revision} are compacted`]);
    assert.is(sink.seen.changes.length, 1);
    const later = newSink();
    near.watch(revision + 1, later);
    await direct.commit([], [{ key: 'a', value: '4' }]);
    await until(() => later.seen.changes.length === 1, 'the later watch has it');
  },
);

async function withPasswords(port: number): Promise<void> {
  const key = Buffer.from('/svc/').toString('base64');
  const rangeEnd = Buffer.from('/svc0').toString('base64');
  await post(port, 'auth/role/add', { name: 'root' });
  await post(port, 'auth/user/add', { name: 'root', password: 'root' });
  await post(port, 'auth/user/grant', { user: 'root', role: 'root' });
  await post(port, 'auth/role/add', { name: 'svc' });
  const perm = { permType: 'READWRITE', key, range_end: rangeEnd };
  await post(port, 'auth/role/grant', { name: 'svc', perm });
  await post(port, 'auth/user/add', { name: LOGIN.username, password: LOGIN.password });
  await post(port, 'auth/user/grant', { user: 'svc', role: 'svc' });
  await post(port, 'auth/enable', {});
}

coordinators('a token that has expired is renewed by the call that finds it so', async () => {
  const etcd = await startEtcd();
  const { port } = etcd;
  const coordinator = open([port], LOGIN);
  await serves(coordinator);
  // Passwords are asked for while the node is connected without a token.
  await withPasswords(port);
  assert.ok((await coordinator.commit([], [{ key: 'a', value: '1' }])).isDone);
  const sink = newSink();
  coordinator.watch((await coordinator.read()).revision + 1, sink);
  await coordinator.grant(LEASE_MS);
  // All tokens go with it.
  const root = { name: 'root', password: 'root' };
  const { token } = (await post(port, 'auth/authenticate', root)) as { token: string };
  await post(port, 'auth/disable', {}, token);
  await post(port, 'auth/enable', {});
  assert.ok((await coordinator.commit([], [{ key: 'a', value: '2' }])).isDone);
  assert.is(await coordinator.keepAlive(), LEASE_MS);
  await until(() => sink.seen.changes.length === 1, 'the watch goes on');
  // Tokens are in memory alone: a watch has to log in again as well.
  await etcd.kill();
  await etcd.start(members);
  await until(() => sink.seen.resumed > 0, 'the watch is there again');
  await serves(coordinator);
  await coordinator.commit([], [{ key: 'a', value: '3' }]);
  await until(() => sink.seen.changes.length === 2, 'the watch brings what is new');
  assert.equal(sink.seen.ended, []);
});

coordinators(
  'a wrong password, none, and a user without permission are refused by name',
  async () => {
    const { port } = await startEtcd();
    await serves(open([port]));
    await withPasswords(port);
    assert.match(
      await failure(open([port], { ...LOGIN, password: 'wrong' }).read()),
      /authentication failed, invalid user ID or password/,
    );
    assert.match(await failure(open([port]).read()), /user name is empty/);
    const other = { name: 'other', password: 'other' };
    const root = { name: 'root', password: 'root' };
    const { token } = (await post(port, 'auth/authenticate', root)) as { token: string };
    await post(port, 'auth/user/add', other, token);
    const stranger = open([port], { username: 'other', password: 'other' });
    assert.match(await failure(stranger.read()), /permission denied/);
    const sink = newSink();
    stranger.watch(1, sink);
    await until(() => sink.seen.ended.length > 0, 'the watch is refused');
    assert.match(sink.seen.ended[0]!, /permission denied/);
  },
);

coordinators('certificates on both sides, and those of a stranger', async () => {
  const certificates = new Certificates();
  try {
    const { server, authority } = certificates;
    const { port } = await startEtcd(1, { tls: { server, authority } });
    const own = certificates.newPair('node', 'node');
    const pair = { cert: pem(own.certificate), key: pem(own.key) };
    const ca = pem(authority.certificate);
    const coordinator = open([port], { tls: { ca, ...pair } });
    await serves(coordinator);
    await coordinator.grant(LEASE_MS);
    assert.is(await coordinator.keepAlive(), LEASE_MS);
    const url = { endpoints: [`https://127.0.0.1:${port}/`] };
    assert.ok((await open([], { ...url, tls: { ca, ...pair } }).read()).revision > 0);
    const stranger = pem(certificates.newAuthority('stranger').certificate);
    const distrusted = open([port], { tls: { ca: stranger, ...pair } });
    assert.match(await failure(distrusted.read()), /certificate|self.signed/i);
    await failure(open([port], { tls: { ca } }).read());
    await failure(open([port]).read());
  } finally {
    certificates.remove();
  }
});

if (needs('etcd') && needs('openssl')) coordinators.run();
