/** Scripts on main: what is sent for them, and what those in transactions may do while others wait. */

import { FrameKind, ScriptRequest } from '#link';
import { keyPerShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RouterFixture, shown, type SentFrame } from '../router.test-helper.ts';

const scripts = suite('scripts on main');

/** It can touch only the key that it declares, or any. */
const OWN = 'return(#KEYS)';
const ANY = 'return(redis.call(ARGV[1]))';
const OWN_DIGEST = '7cfec76a455ca959404ecddeea974929dc72f3fe';
const [a = '', b = '', c = ''] = keyPerShard(3);

const kinds = (frames: readonly SentFrame[][]): string[] =>
  frames.map((list) => list.map(({ kind }) => kind).join());

scripts('a script goes to a shard by itself, though a command has brought it before', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  client.send(`EVAL ${OWN} 1 ${a}`);
  client.send(`EVALSHA ${OWN_DIGEST} 1 ${a}`);
  // The first may wait for its key, and the second not.
  assert.equal(kinds(main.sent()), ['command,script,command', '', '']);
  client.send(`EVALSHA ${OWN_DIGEST} 1 ${a}`);
  client.send(`EVALSHA ${OWN_DIGEST} 1 ${b}`);
  assert.equal(kinds(main.sent()), ['command', 'script,command', '']);
});

scripts('in a transaction it gets no keys lent, and is answered before those that wait', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  for (const line of ['MULTI', `EVAL ${ANY} 3 ${a} ${b} ${c}`, 'EXEC']) client.send(line);
  const barriers = main.sent().map(([frame]) => frame!);
  const other = main.newClient();
  other.send(`EVAL ${ANY} 1 ${a}`);
  assert.equal(kinds(main.sent()), ['command', 'barrier', 'barrier']);
  for (const [shard, frame] of barriers.entries()) {
    main.shards[shard]!.signal(FrameKind.barrier, frame);
  }
  const [[run] = [], ...others] = main.sent();
  assert.equal([shown([run!]), others], [[`command EVAL ${ANY} 3 ${a} ${b} ${c}`], [[], []]]);
  main.shards[0]!.send(
    FrameKind.ask,
    { slot: -1, sequence: ScriptRequest.prepare },
    new Uint8Array(0),
  );
  assert.equal(kinds(main.sent()), ['ask', '', '']);
  main.shards[0]!.reply(run!, ':1\r\n');
  main.turn();
  assert.match(client.received(), /\*1\r\n:1\r\n$/);
});

scripts.run();
