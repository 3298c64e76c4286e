/** Scripts in a cluster: flags, and keys of other slots and other nodes. */

import { needs, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  sharedEtcd,
  type Coordinator,
  isWhole,
  startNode,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const scripts = suite('scripts in a cluster');

// Slots of the keys: a 15495, b 3300, c 7365.
let etcd: Coordinator;
let first: PlayedNode;
let second: PlayedNode;

async function says(...words: readonly string[]): Promise<string> {
  return textOf(await first.client.reply(...words));
}

scripts.before(async () => {
  etcd = await sharedEtcd();
  [first, second] = await Promise.all([
    startNode(etcd, { group: 'first' }),
    startNode(etcd, { group: 'second' }),
  ]);
  await first.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8000');
  await second.client.call('CLUSTER', 'ADDSLOTSRANGE', '8001', '16383');
  await Promise.all([isWhole(first), isWhole(second)]);
});
scripts.after(async () => {
  await Promise.all([first.server.stop(), second.server.stop()]);
  await etcd.stop();
});

const CROSSING = /^ERR Script attempted to access keys that do not hash to the same slot script: /;
const NOT_LOCAL = /^ERR Script attempted to access a non local key in a cluster node script: /;

scripts('a script that says that it is for no cluster is not run', async () => {
  const text = "ERR Can not run script on cluster, 'no-cluster' flag is set.";
  assert.is(await says('EVAL', '#!lua flags=no-cluster\nreturn 1', '0'), text);
  const library =
    "#!lua name=one\nredis.register_function{function_name='f', callback=function() return 1 end, flags={'no-cluster'}}";
  assert.is(await says('FUNCTION', 'LOAD', library), 'one');
  assert.is(await says('FCALL', 'f', '0'), text);
});

scripts('a script without a first line may use keys of several slots of the node', async () => {
  const code = "redis.call('SET', 'b', '1') redis.call('SET', 'c', '2') return 'both'";
  assert.is(await says('EVAL', code, '0'), 'both');
  assert.is(await says('EVAL', code, '1', 'b'), 'both');
});

scripts('a script with a first line has to say that it does', async () => {
  const code = "\nredis.call('GET', 'b') redis.call('GET', 'c') return 'both'";
  assert.match(await says('EVAL', `#!lua${code}`, '0'), CROSSING);
  assert.is(await says('EVAL', `#!lua flags=allow-cross-slot-keys${code}`, '0'), 'both');
  assert.match(await says('EVAL', "#!lua\nreturn redis.call('GET', 'c')", '1', 'b'), CROSSING);
  assert.is(await says('EVAL', "#!lua\nreturn redis.call('GET', '{b}')", '1', 'b'), 'null');
});

scripts("keys of another node are refused, and so are a command's of several slots", async () => {
  assert.match(await says('EVAL', "return redis.call('SET', 'a', 'x')", '0'), NOT_LOCAL);
  assert.match(await says('EVAL', "return redis.call('GET', 'a')", '1', 'b'), NOT_LOCAL);
  assert.match(
    await says('EVAL', "return redis.call('MGET', 'b', 'c')", '0'),
    /^ERR Command 'mget' in script attempted to access keys that don't hash to the same slot script: /,
  );
  const caught = "local e = redis.pcall('GET', 'a') return e.err";
  assert.match(await says('EVAL', caught, '0'), /non local key/);
});

scripts('functions are held to the same', async () => {
  const library = [
    '#!lua name=two',
    "redis.register_function('reads', function(keys, args) redis.call('GET', args[1]) return redis.call('GET', args[2]) end)",
    "redis.register_function{function_name='crosses', callback=function(keys, args) redis.call('GET', args[1]) return redis.call('GET', args[2]) end, flags={'allow-cross-slot-keys'}}",
  ].join('\n');
  assert.is(await says('FUNCTION', 'LOAD', library), 'two');
  assert.match(await says('FCALL', 'reads', '0', 'b', 'c'), CROSSING);
  assert.match(await says('FCALL', 'reads', '0', 'a', 'a'), NOT_LOCAL);
  assert.is(await says('FCALL', 'crosses', '0', 'b', 'c'), '2');
});

scripts('a slot that nobody has, and a cluster that is down', async () => {
  await first.client.call('CONFIG', 'SET', 'cluster-require-full-coverage', 'no');
  assert.is(await says('CLUSTER', 'DELSLOTS', '7365'), 'OK');
  const code = "return redis.call('GET', 'c')";
  assert.match(await says('EVAL', code, '0'), /^ERR Script attempted to access a slot not served/);
  await first.client.call('CONFIG', 'SET', 'cluster-require-full-coverage', 'yes');
  const down = "return redis.call('GET', 'b')";
  assert.match(
    await says('EVAL', down, '0'),
    /^ERR Script attempted to execute a command while the cluster is down/,
  );
});

if (needs('etcd')) scripts.run();
