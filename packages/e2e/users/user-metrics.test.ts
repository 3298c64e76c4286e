/** Metrics, ACL STATS and the debug API show equal counts of users, which add up to those of the server. */
import {
  byName,
  type ChildServer,
  ReplyError,
  request,
  type RespClient,
  startServer,
  until,
} from '#testkit';
import type { UsersDocument } from '#api-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const metrics = suite('metrics of users');

let server: ChildServer;
let admin: RespClient;

metrics.before(async () => {
  server = await startServer({ http: true, shards: 2, args: ['--set', 'metrics.max-users=3'] });
  admin = await server.client();
  for (const name of ['anna', 'bert', 'late', 'other']) {
    await admin.call('ACL', 'SETUSER', name, 'on', 'nopass', '+@all', '-del', '~a*', '&a*');
  }
});
metrics.after(async () => {
  await server.stop();
});

type Samples = ReadonlyMap<string, number>;

async function scrape(): Promise<Samples> {
  const { text } = await request(server.httpPort, '/metrics');
  const lines = text.matchAll(/^(svc_\S+) (\S+)$/gm);
  return new Map([...lines].map(([, name, value]) => [name!, Number(value)]));
}

/** Samples of a metric by user, those with more labels summed. */
function usersIn(samples: Samples, name: string): Readonly<Record<string, number>> {
  const users: Record<string, number> = {};
  for (const [sample, value] of samples) {
    const [, user] = new RegExp(`^${name}\\{user="([^"]*)"`).exec(sample) ?? [];
    if (user !== undefined) users[user] = (users[user] ?? 0) + value;
  }
  return users;
}

function totalIn(samples: Samples, name: string): number {
  return [...samples]
    .filter(([sample]) => sample === name || sample.startsWith(`${name}{`))
    .reduce((sum, [, value]) => sum + value, 0);
}

const SAME: readonly (readonly [ofUsers: string, ofServer: string])[] = [
  ['svc_user_commands_total', 'svc_commands_processed_total'],
  ['svc_user_errors_total', 'svc_errors_total'],
  ['svc_user_input_bytes_total', 'svc_net_input_bytes_total'],
  ['svc_user_output_bytes_total', 'svc_net_output_bytes_total'],
  ['svc_user_connections', 'svc_connections'],
  ['svc_user_denied_total', 'svc_acl_denied_total'],
  ['svc_user_limited_total', 'svc_ratelimit_rejections_total'],
];

metrics('add up to those of the server, and agree with ACL STATS and the debug API', async () => {
  await admin.call('ACL', 'SETUSER', 'bert', 'ratelimit:cps=5');
  const clients: RespClient[] = [];
  for (const name of ['anna', 'anna', 'bert', 'late', 'other']) {
    const client = await server.client();
    clients.push(client);
    await client.call('AUTH', name, 'x');
    for (let nth = 0; nth < 20; nth += 1) await client.reply('INCR', `a${nth}`);
    for (const words of [
      ['DEL', 'a1'],
      ['GET', 'x'],
      ['PUBLISH', 'x', 'y'],
      ['LPUSH', 'a1', 'x'],
    ]) {
      assert.ok((await client.reply(...words)) instanceof ReplyError);
    }
    assert.ok(
      (await client.reply('AUTH', name === 'late' ? 'nobody' : 'default')) instanceof ReplyError,
    );
  }
  let samples: Samples = new Map();
  await until(async () => {
    samples = await scrape();
    return SAME.every(
      ([ofUsers, ofServer]) => totalIn(samples, ofUsers) === totalIn(samples, ofServer),
    );
  }, 'all bytes are shared out');
  for (const [ofUsers, ofServer] of SAME) {
    assert.equal(Object.keys(usersIn(samples, ofUsers)), ['default', 'anna', 'bert', 'other']);
    assert.ok(totalIn(samples, ofServer) > 0, ofServer);
  }
  assert.ok(totalIn(samples, 'svc_user_seconds_total') > 0);
  const document = (await request(server.httpPort, '/debug/api/users')).json() as UsersDocument;
  const stats = byName(await admin.call('ACL', 'STATS'));
  for (const user of document.users) {
    const { name } = user;
    const reported = new Map(byName(stats.get(name)));
    const denied = Object.values(user.denied!).reduce((one, other) => one + other);
    const figures = [user.connections, user.errors, denied, user.limited!.commands];
    assert.equal(
      ['connections', 'errors', 'denied', 'limited-commands'].map((field) => reported.get(field)),
      figures,
      name,
    );
    if (['default', 'late', 'other'].includes(name)) continue;
    const shown = ['connections', 'errors_total', 'denied_total', 'limited_total'].map(
      (metric) => usersIn(samples, `svc_user_${metric}`)[name],
    );
    assert.equal(shown, figures, name);
    assert.is(usersIn(samples, 'svc_user_commands_total')[name], user.commands);
    assert.is(reported.get('commands'), user.commands);
    assert.is(reported.get('time-us'), user.time_us);
    assert.is(Math.round(usersIn(samples, 'svc_user_seconds_total')[name]! * 1e6), user.time_us);
  }
  assert.ok(usersIn(samples, 'svc_user_limited_total')['bert']! > 0);
  for (const client of clients) await client.end();
});

metrics('those of a user that is gone stay where they are', async () => {
  const before = usersIn(await scrape(), 'svc_user_commands_total');
  await admin.call('ACL', 'DELUSER', 'anna');
  const after = usersIn(await scrape(), 'svc_user_commands_total');
  assert.equal([after['anna'], after['other']], [before['anna'], before['other']]);
});

metrics.run();
