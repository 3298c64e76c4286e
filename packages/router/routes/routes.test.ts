/** The ways of commands: to one shard, by parts, whole to all, lent to a host; into all rings that are needed, or into none. */

import { errors } from '#base';
import { ReplyFlag } from '#link';
import { keyPerShard, keysOnShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RouterFixture, shown } from '../router.test-helper.ts';

const routes = suite('routes');

const [a = '', b = '', c = ''] = keyPerShard(3);
const [, a2 = ''] = keysOnShard(0, 3, 2);

/** Command lines, and the frames that the three shards are sent for each. */
const ways: readonly (readonly [line: string, ...sent: readonly string[]])[] = [
  [`GET ${b}`, '', `command GET ${b}`, ''],
  [`SINTER ${a} ${a2}`, `command SINTER ${a} ${a2}`, '', ''],
  ['ECHO hello', '', '', ''],
  [`MGET ${a} ${b} ${a2}`, `part MGET ${a} ${a2}`, `part MGET ${b}`, ''],
  [`MSET ${b} 1 ${c} 2`, '', `part MSET ${b} 1`, `part MSET ${c} 2`],
  ['DBSIZE', 'part DBSIZE', 'part DBSIZE', 'part DBSIZE'],
  [`RENAME ${a} ${b}`, `host RENAME ${a} ${b}`, `lend ${b}`, ''],
  [`SINTERSTORE ${c} ${a} ${b}`, `lend ${a}`, `lend ${b}`, `host SINTERSTORE ${c} ${a} ${b}`],
  [`RENAME ${a}`, '', '', ''],
];

for (const [line, ...sent] of ways) {
  routes(`${line}: ${sent.map((frame) => frame || 'nothing').join(', ')}`, () => {
    const main = new RouterFixture(3);
    main.newClient().send(line);
    assert.equal(
      main.sent().map((frames) => shown(frames).join()),
      sent,
    );
  });
}

routes('the parts of an answer are put together in the order of the keys', () => {
  const main = new RouterFixture(3);
  const [first, second] = main.shards;
  const client = main.newClient();
  client.send(`MGET ${a} ${b} ${a2}`);
  const [[one] = [], [other] = []] = main.sent();
  second!.part(other!, [Buffer.from('of b')]);
  main.turn();
  assert.is(client.received(), '');
  first!.part(one!, [Buffer.from('of a'), null]);
  main.turn();
  assert.is(client.received(), '*3\r\n$4\r\nof a\r\n$4\r\nof b\r\n$-1\r\n');
});

routes('one part that has failed is the reply, once all parts are there', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  client.send(`DEL ${a} ${b}`);
  client.send('PING');
  const [[one] = [], [other] = []] = main.sent();
  main.shards[0]!.part(one!, errors.wrongType, ReplyFlag.error);
  main.turn();
  assert.is(client.received(), '');
  main.shards[1]!.part(other!, 1);
  main.turn();
  assert.is(client.received(), `-${errors.wrongType.message}\r\n+PONG\r\n`);
});

routes('a durable write over several shards goes whole to each, as one transaction', () => {
  const main = new RouterFixture(3, 16_384, true);
  const client = main.newClient();
  client.send(`MSET ${a} 1 ${b} 2`);
  client.send(`MGET ${a} ${b}`);
  const [[one, read] = [], [other] = []] = main.sent();
  assert.equal(shown([one!, other!, read!]), [
    `share MSET ${a} 1 ${b} 2`,
    `share MSET ${a} 1 ${b} 2`,
    `part MGET ${a}`,
  ]);
  assert.is(one!.transaction, other!.transaction);
  assert.equal([one!.lenders, other!.lenders], [2, 2]);
});

const overSeveral = [`MGET ${a} ${b}`, `RENAME ${a} ${b}`, 'DBSIZE', `BLPOP ${a} ${b} 0`];
for (const line of overSeveral) {
  routes(`${line.split(' ')[0]!} sends nothing at all while one of the rings is full`, () => {
    const main = new RouterFixture(3, 1_024);
    const filler = main.newClient();
    while (filler.send(`SET ${b} ${'v'.repeat(60)}`) === 'taken');
    const client = main.newClient();
    // It knows this client, whose introduction would fill the ring of shard 0 as well.
    client.send(`GET ${a}`);
    const [[read] = []] = main.sent();
    main.shards[0]!.reply(read!, '+0\r\n');
    main.turn();
    while (filler.send(`SET ${b} ${'v'.repeat(60)}`) === 'taken');
    assert.is(client.send(line), 'full', line);
    main.router.publish();
    assert.equal(main.shards[0]!.take(), [], 'the ring with room has no part of it');
    assert.is(client.client.replies.outstanding, 0);
    for (const frame of main.shards[1]!.take()) main.shards[1]!.reply(frame, '+OK\r\n');
    main.turn();
    assert.is(client.send(line), 'taken');
    assert.ok(main.sent().every((frames, shard) => frames.length > 0 || shard === 2));
  });
}

routes('a lender and its host are told the same transaction, and no other has it', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  client.send(`RENAME ${a} ${b}`);
  client.send(`RENAME ${a} ${b}`);
  const [hosts = [], lends = []] = main.sent();
  assert.equal(
    lends.map(({ sequence }) => sequence),
    hosts.map(({ transaction }) => transaction),
  );
  assert.is.not(hosts[0]!.transaction, hosts[1]!.transaction);
  assert.equal([hosts[0]!.lenders, lends[0]!.slot], [1, 0], 'the lender is told its host');
});

routes.run();
