/** The router: replies in the order of their commands, regardless of the order of shards, and commands that must wait. */

import { keyPerShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RouterFixture, shown } from './router.test-helper.ts';

const routing = suite('router');

const [a = '', b = ''] = keyPerShard(2);

routing('gives replies in the order of the commands when shards answer out of order', () => {
  const main = new RouterFixture(2);
  const { shards } = main;
  const client = main.newClient();
  for (const line of [`GET ${a}`, `GET ${b}`, `GET ${a}`, 'PING']) client.send(line);
  const [[first, third] = [], [second] = []] = main.sent();
  shards[1]!.reply(second!, '+second\r\n');
  main.turn();
  assert.is(client.received(), '');
  shards[0]!.reply(first!, '+first\r\n');
  main.turn();
  assert.is(client.received(), '+first\r\n+second\r\n', 'and main is not ahead of the third');
  shards[0]!.reply(third!, '+third\r\n');
  main.turn();
  assert.is(client.received(), '+third\r\n+PONG\r\n');
});

routing('gives replies that share a frame, and one before its turn between them', () => {
  const main = new RouterFixture(2);
  const { shards } = main;
  const client = main.newClient();
  for (const line of [`GET ${a}`, `GET ${a}`, `GET ${b}`, `GET ${a}`]) client.send(line);
  const [[first] = [], [third] = []] = main.sent();
  shards[1]!.reply(third!, '+3\r\n');
  main.turn();
  shards[0]!.reply(first!, '+1\r\n+2\r\n', 2);
  main.turn();
  assert.is(client.received(), '+1\r\n+2\r\n+3\r\n');
  assert.is(client.client.replies.outstanding, 1);
});

routing('one client waits for no other', () => {
  const main = new RouterFixture(2);
  const { shards } = main;
  const [slow, quick] = [main.newClient(), main.newClient()];
  slow.send(`GET ${a}`);
  quick.send(`GET ${b}`);
  const [, [second] = []] = main.sent();
  shards[1]!.reply(second!, '+quick\r\n');
  main.turn();
  assert.equal([slow.received(), quick.received()], ['', '+quick\r\n']);
});

routing('a command that is refused is answered in its turn, and sent to nobody', () => {
  const main = new RouterFixture(2);
  const { shards } = main;
  const client = main.newClient();
  client.send(`GET ${a}`);
  client.send(`GET ${a} ${b}`);
  client.send('NOSUCH x');
  const [[first, ...more] = [], others] = main.sent();
  assert.equal([more, others], [[], []]);
  main.turn();
  assert.is(client.received(), '');
  shards[0]!.reply(first!, '+1\r\n');
  main.turn();
  const replies = client.received();
  assert.match(
    replies,
    /^\+1\r\n-ERR wrong number of arguments for 'get'.*\r\n-ERR unknown command/,
  );
});

routing('writes are refused without memory, and reads are not', () => {
  const main = new RouterFixture(2);
  const client = main.newClient();
  main.isOutOfMemory = true;
  client.send(`SET ${a} v`);
  client.send(`GET ${a}`);
  assert.match(client.received(), /^-OOM /);
  assert.equal(main.sent().map(shown), [[`command GET ${a}`], []]);
  assert.is(main.page.get('oomRejections'), 1);
});

routing(
  'a client whose commands find a ring full is stalled, and asked again when there is room',
  () => {
    const main = new RouterFixture(2, 1_024);
    const client = main.newClient();
    let sent = 0;
    while (client.send(`SET ${a} ${'v'.repeat(100)}`) === 'taken') sent += 1;
    assert.ok(sent > 1 && sent < 20, String(sent));
    assert.is(main.page.get('readStalls'), 1, 'and is counted');
    assert.is(client.client.replies.outstanding, sent, 'what was not taken has no number');
    main.turn();
    assert.is(client.send(`SET ${a} v${'v'.repeat(100)}`), 'full', 'the shard has taken nothing');
    const resumes = client.socket.resumes;
    const frames = main.shards[0]!.take();
    assert.is(frames.length, sent);
    for (const frame of frames) main.shards[0]!.reply(frame, '+OK\r\n');
    main.turn();
    assert.is(client.socket.resumes, resumes + 1);
    assert.is(client.send(`SET ${a} v`), 'taken');
  },
);

routing(
  'behind long commands of main others come first, once main has been at them for 4 ms',
  () => {
    const main = new RouterFixture(1);
    const client = main.newClient();
    const takings = (us: number): string[] => {
      main.mainUs = us;
      main.router.readClock();
      return Array.from({ length: 5 }, () => client.send('PING'));
    };
    assert.equal(takings(1_000), ['taken', 'taken', 'taken', 'long', 'long']);
    assert.equal(takings(99), ['taken', 'taken', 'taken', 'taken', 'taken']);
    assert.is(takings(4_000)[0], 'long');
  },
);

routing('so do they behind long transactions of such commands', () => {
  const main = new RouterFixture(1);
  const client = main.newClient();
  main.mainUs = 1_000;
  main.router.readClock();
  const takings: string[] = [];
  for (const command of ['MULTI', 'PING', 'PING', 'EXEC', 'MULTI', 'PING', 'PING', 'EXEC']) {
    takings.push(client.send(command));
  }
  // MULTI is one of main's commands too, and takes as long.
  assert.equal(takings.slice(0, 4), ['taken', 'taken', 'taken', 'taken']);
  assert.is(takings.at(-1), 'long');
});

routing('a slot is used again only when all its commands are answered', () => {
  const main = new RouterFixture(2);
  const { shards } = main;
  const gone = main.newClient();
  gone.send(`GET ${a}`);
  const [[frame] = []] = main.sent();
  gone.leave();
  const next = main.newClient();
  assert.is.not(next.client.slot, gone.client.slot);
  shards[0]!.reply(frame!, '+late\r\n');
  main.turn();
  assert.equal([gone.client.replies.outstanding, next.received()], [0, '']);
  assert.is(main.newClient().client.slot, gone.client.slot);
});

routing.run();
