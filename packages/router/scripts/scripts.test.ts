/** Scripts on main: what is sent for them. */

import { keyPerShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RouterFixture, type SentFrame } from '../router.test-helper.ts';

const scripts = suite('scripts on main');

/** It can touch only the key that it declares. */
const OWN = 'return(#KEYS)';
const OWN_DIGEST = '7cfec76a455ca959404ecddeea974929dc72f3fe';
const [a = '', b = ''] = keyPerShard(3);

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

scripts.run();
