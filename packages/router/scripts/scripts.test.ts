/** Scripts on main: where they run, when they run alone, what their shards ask for, and who is refused meanwhile. */

import { createHash } from 'node:crypto';
import { type Bytes, errors } from '#base';
import { FrameKind, ScriptRequest } from '#link';
import { keyPerShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  calledFrame,
  RouterFixture,
  shown,
  type PlayedClient,
  type SentFrame,
} from '../router.test-helper.ts';

const scripts = suite('scripts on main');

const [a = '', b = '', c = ''] = keyPerShard(3);
/** Its text shows that it touches nothing but its keys. */
const STAYS = "return redis.call('GET', KEYS[1])";
/** It may touch any key. */
const STRAYS = "return redis.call('GET', ARGV[1])";
const NOTHING: Bytes = new Uint8Array(0);

const digestOf = (source: string): string => createHash('sha1').update(source).digest('hex');
const words = (frames: readonly SentFrame[][]): string[] =>
  frames.map((list) =>
    list.map((frame) => (frame.isExclusive ? 'alone ' : '') + shown([frame])[0]!).join(),
  );

/** Sends a script with a key of shard 0 that runs alone; answers its frame. */
function sendExclusive(main: RouterFixture, client: PlayedClient): SentFrame {
  assert.is(client.send(['EVAL', STRAYS, '1', a, b]), 'taken');
  const [[script] = [], [one] = [], [other] = []] = main.sent();
  assert.equal([script!.isExclusive, one!.kind, other!.kind], [true, 'barrier', 'barrier']);
  return script!;
}

function ask(main: RouterFixture, shard: number, what: number, body: Bytes = NOTHING): void {
  main.shards[shard]!.send(FrameKind.ask, { slot: -1, sequence: what }, body);
}

scripts('one that stays on keys of one shard is a command like others', () => {
  const main = new RouterFixture(3);
  main.newClient().send(['EVAL', STAYS, '1', b]);
  assert.equal(words(main.sent()), ['', `command EVAL ${STAYS} 1 ${b}`, '']);
});

scripts(
  'one that may touch other keys runs alone, and the other shards stop in the same turn',
  () => {
    const main = new RouterFixture(3);
    const client = main.newClient();
    client.send(['EVAL', STRAYS, '1', b, a]);
    client.send(`GET ${c}`);
    const [first, host, last] = words(main.sent());
    assert.is(host, `alone command EVAL ${STRAYS} 1 ${b} ${a}`);
    assert.equal([first, last], ['alone barrier', `alone barrier,command GET ${c}`]);
    assert.is(main.page.get('scriptBarriers'), 1);
  },
);

scripts('one that stays, but on keys of several shards, runs alone too', () => {
  const main = new RouterFixture(3);
  main.newClient().send(['EVAL', STAYS, '2', a, c]);
  assert.equal(words(main.sent()), [
    `alone command EVAL ${STAYS} 2 ${a} ${c}`,
    'alone barrier',
    'alone barrier',
  ]);
});

scripts('with one shard none runs alone', () => {
  const main = new RouterFixture(1);
  main.newClient().send(['EVAL', STRAYS, '1', 'k', 'other']);
  assert.equal(words(main.sent()), [`command EVAL ${STRAYS} 1 k other`]);
});

scripts('one that runs alone is sent to nobody while one of the rings is full', () => {
  const main = new RouterFixture(3, 1_024);
  const filler = main.newClient();
  while (filler.send(`SET ${b} ${'v'.repeat(8)}`) === 'taken');
  const client = main.newClient();
  assert.is(client.send(['EVAL', STRAYS, '1', a, b]), 'full');
  main.router.publish();
  assert.equal([shown(main.shards[0]!.take()), shown(main.shards[2]!.take())], [[], []]);
  assert.is(client.client.replies.outstanding, 0);
});

scripts('a call of the script is sent at once, and its reply goes back', () => {
  const main = new RouterFixture(3);
  sendExclusive(main, main.newClient());
  ask(main, 0, ScriptRequest.command, calledFrame(`SET ${b} 1`));
  const [, [call] = [], none] = main.sent();
  assert.equal([shown([call!]), none], [[`command SET ${b} 1`], []]);
  main.shards[1]!.reply(call!, '+OK\r\n');
  const [[answer] = []] = main.sent();
  assert.equal(
    [answer!.kind, answer!.sequence, answer!.body],
    ['ask', ScriptRequest.command, '+OK\r\n'],
  );
});

scripts('a call for parts of several shards is answered as a whole', () => {
  const main = new RouterFixture(3);
  sendExclusive(main, main.newClient());
  ask(main, 0, ScriptRequest.command, calledFrame(`MGET ${c} ${b}`));
  const [, [second] = [], [third] = []] = main.sent();
  main.shards[1]!.part(second!, [Buffer.from('of b')]);
  main.turn();
  main.shards[2]!.part(third!, [null]);
  assert.is(main.sent()[0]![0]!.body, '*2\r\n$-1\r\n$4\r\nof b\r\n');
});

scripts('a call that finds a ring full is sent when there is room', () => {
  const main = new RouterFixture(3, 1_024);
  sendExclusive(main, main.newClient());
  const filler = main.newClient();
  while (filler.send(`SET ${b} ${'v'.repeat(8)}`) === 'taken');
  ask(main, 0, ScriptRequest.command, calledFrame(`GET ${b}`));
  main.turn();
  assert.ok(main.router.scripts.isWaiting);
  assert.not.ok(shown(main.shards[1]!.take()).includes(`command GET ${b}`));
  main.router.scripts.retry();
  assert.not.ok(main.router.scripts.isWaiting);
  assert.equal(shown(main.sent()[1]!), [`command GET ${b}`]);
});

scripts('its end lets the other shards go on, and then the next one has its turn', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  const first = sendExclusive(main, client);
  client.send(['EVAL', STRAYS, '1', b, a]);
  main.sent();
  main.shards[0]!.reply(first, '$-1\r\n');
  ask(main, 0, ScriptRequest.end);
  assert.equal(words(main.sent()), ['', 'resume', 'resume']);
  assert.is(client.received(), '$-1\r\n');
  ask(main, 1, ScriptRequest.command, calledFrame(`GET ${a}`));
  assert.equal(words(main.sent()), [`command GET ${a}`, '', '']);
});

scripts(
  'what it has written elsewhere is ended in the logs of all others before it is answered',
  () => {
    const main = new RouterFixture(3, 16_384, true);
    sendExclusive(main, main.newClient());
    main.turn();
    ask(main, 0, ScriptRequest.prepare);
    const [none, [second] = [], [third] = []] = main.sent();
    assert.equal([none, second!.kind, third!.kind], [[], 'prepare', 'prepare']);
    assert.is(second!.sequence, third!.sequence);
    main.shards[1]!.signal(FrameKind.prepare, second!);
    assert.equal(words(main.sent()), ['', '', '']);
    main.shards[2]!.signal(FrameKind.prepare, third!);
    const [[answer] = []] = main.sent();
    assert.is(answer!.sequence, ScriptRequest.prepare);
    assert.is(Buffer.from(answer!.body, 'latin1').readUInt32LE(0), second!.sequence);
  },
);

scripts('without logs there is nothing to end', () => {
  const main = new RouterFixture(3);
  sendExclusive(main, main.newClient());
  main.turn();
  ask(main, 0, ScriptRequest.prepare);
  const [[answer] = [], second, third] = main.sent();
  assert.equal(
    [answer!.kind, answer!.sequence, second, third],
    ['ask', ScriptRequest.prepare, [], []],
  );
});

scripts('EVALSHA of what nobody has brought is refused, and sent nowhere', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  client.send(`EVALSHA ${digestOf(STAYS)} 1 ${a}`);
  client.send(`EVALSHA short 1 ${a}`);
  assert.equal(words(main.sent()), ['', '', '']);
  assert.is(client.received(), `-${errors.noScript.text}\r\n`.repeat(2));
});

scripts('a shard is told the source ahead of the first EVALSHA that it runs, and once', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  const digest = digestOf(STAYS);
  client.send(['EVAL', STAYS, '1', a]);
  client.send(`EVALSHA ${digest.toUpperCase()} 1 ${a}`);
  client.send(`EVALSHA ${digest} 1 ${b}`);
  client.send(`EVALSHA ${digest} 1 ${b}`);
  const [first = [], second = []] = main.sent();
  assert.equal(
    first.map(({ kind }) => kind),
    ['command', 'script', 'command'],
  );
  assert.equal(
    second.map(({ kind }) => kind),
    ['script', 'command', 'command'],
  );
  assert.is(second[0]!.body, digest + STAYS);
});

scripts('what does not compile is forgotten, here and in the shards that have it', () => {
  const main = new RouterFixture(3);
  main.newClient().send(['EVAL', STAYS, '1', b]);
  main.sent();
  ask(main, 1, ScriptRequest.forget, Buffer.from(digestOf(STAYS)));
  assert.equal(
    main.sent().map((frames) => frames.map(({ kind }) => kind)),
    [[], ['control'], []],
  );
  const client = main.newClient();
  client.send(`EVALSHA ${digestOf(STAYS)} 1 ${b}`);
  assert.is(client.received(), `-${errors.noScript.text}\r\n`);
});

scripts('FLUSH forgets all, and every shard is told', () => {
  const main = new RouterFixture(3);
  main.newClient().send(['EVAL', STAYS, '1', b]);
  main.sent();
  main.router.scripts.flush();
  assert.equal(
    main.sent().map((frames) => frames.map(({ kind }) => kind)),
    [['control'], ['control'], ['control']],
  );
  const client = main.newClient();
  client.send(`EVALSHA ${digestOf(STAYS)} 1 ${b}`);
  assert.is(client.received(), `-${errors.noScript.text}\r\n`);
});

scripts('lines of scripts come to the log with their level', () => {
  const main = new RouterFixture(2);
  ask(main, 1, ScriptRequest.log, Buffer.concat([Buffer.from([2]), Buffer.from('a line')]));
  main.turn();
  assert.equal(main.logged, [[2, 'a line']]);
});

/** Command lines while the script of shard 1 is busy, and whether they are refused. */
const whileBusy: readonly (readonly [line: string | readonly string[], isRefused: boolean])[] = [
  [`GET ${a}`, false],
  [`GET ${b}`, true],
  [`MGET ${a} ${b}`, true],
  ['DBSIZE', true],
  ['ECHO hello', false],
  [['EVAL', STAYS, '1', a], false],
  [['EVAL', STRAYS, '1', a, 'key'], true],
  [['EVAL', STAYS, '2', a, b], true],
  [`FCALL name 1 ${a}`, true],
];
for (const [line, isRefused] of whileBusy) {
  scripts(`${String(line)} ${isRefused ? 'is refused' : 'goes on'} while shard 1 is busy`, () => {
    const main = new RouterFixture(3);
    const client = main.newClient();
    main.scriptsSinceUs[1] = main.clock.nowUs();
    main.clock.advanceMs(10);
    main.router.readClock();
    assert.is(client.send(line), 'taken');
    main.turn();
    assert.is(client.received().startsWith('-BUSY '), isRefused);
    if (isRefused) assert.equal([...main.router.scripts.cache.all], []);
  });
}

scripts('while one that runs alone is busy, all shards are', () => {
  const main = new RouterFixture(3);
  main.newClient().send(['EVAL', STRAYS, '1', b, a]);
  main.scriptsSinceUs[1] = main.clock.nowUs();
  main.clock.advanceMs(10);
  main.router.readClock();
  const client = main.newClient();
  client.send('MULTI');
  for (const line of [`INCR ${a}`, 'EXEC', `GET ${a}`, 'PUBLISH channel message'])
    client.send(line);
  main.turn();
  const [multi, ...others] = client.received().split('\r\n');
  assert.is(multi, '+OK');
  assert.equal(
    others.map((reply) => reply.split(' ')[0]),
    ['-BUSY', '-EXECABORT', '-BUSY', '-BUSY', ''],
  );
});

scripts.run();
