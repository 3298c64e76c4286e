import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const set = suite('set');

/** Lines of one story: what each answers. */
type Story = readonly (readonly [line: string, reply: unknown])[];

const stories: Readonly<Record<string, Story>> = {
  'SET stores and GET answers': [
    ['SET a 1', 'OK'],
    ['GET a', '1'],
    ['set a ""', 'OK'],
    ['GET a', ''],
    ['GET b', null],
    ['GET', "-ERR wrong number of arguments for 'get' command"],
    ['SET a', "-ERR wrong number of arguments for 'set' command"],
  ],
  'SET obeys NX and XX': [
    ['SET a 1 XX', null],
    ['SET a 1 NX', 'OK'],
    ['SET a 2 nx', null],
    ['SET a 3 xx', 'OK'],
    ['GET a', '3'],
    ['SET a 1 NX XX', '-ERR syntax error'],
    ['SET a 1 XX NX', '-ERR syntax error'],
    ['SET a 1 NX NX', null],
  ],
  'SET with GET answers the old value': [
    ['SET a 1 GET', null],
    ['SET a 2 GET', '1'],
    ['SET a 3 NX GET', '2'],
    ['GET a', '2'],
    ['SET b 3 XX GET', null],
    ['GET b', null],
    ['SET c 3 NX GET', null],
    ['GET c', '3'],
  ],
  'SET takes times in four forms': [
    ['SET a 1 EX 10', 'OK'],
    ['PTTL a', 10000],
    ['SET a 1 PX 1500', 'OK'],
    ['PTTL a', 1500],
    ['SET a 1 EXAT 1700000010', 'OK'],
    ['TTL a', 10],
    ['SET a 1 PXAT 1700000000123', 'OK'],
    ['PTTL a', 123],
    ['SET a 2 KEEPTTL', 'OK'],
    ['PTTL a', 123],
    ['SET a 2', 'OK'],
    ['PTTL a', -1],
    ['SET a 1 EX 1 EX 5', 'OK'],
    ['TTL a', 5],
    ['SET a 1 PXAT 1', 'OK'],
    ['GET a', null],
  ],
  'SET judges its options': [
    ['SET a 1 EX', '-ERR syntax error'],
    ['SET a 1 FOO', '-ERR syntax error'],
    ['SET a 1 EX 10 PX 10', '-ERR syntax error'],
    ['SET a 1 EX 10 KEEPTTL', '-ERR syntax error'],
    ['SET a 1 KEEPTTL EX 10', '-ERR syntax error'],
    ['SET a 1 PERSIST', '-ERR syntax error'],
    ['SET a 1 EX x', '-ERR value is not an integer or out of range'],
    ['SET a 1 EX 0', "-ERR invalid expire time in 'set' command"],
    ['SET a 1 EX -1', "-ERR invalid expire time in 'set' command"],
    ['SET a 1 EX 9223372036854775807', "-ERR invalid expire time in 'set' command"],
    ['SET a 1 PX 9223372036854775807', "-ERR invalid expire time in 'set' command"],
    ['SET a 1 EX 9223372036854775808', '-ERR value is not an integer or out of range'],
    ['EXISTS a', 0],
    ['SET a 1 PXAT 9223372036854775807', 'OK'],
    ['GET a', '1'],
  ],
  'the older forms of SET': [
    ['SETNX a 1', 1],
    ['SETNX a 2', 0],
    ['GETSET a 3', '1'],
    ['GETSET b 3', null],
    ['GET a', '3'],
    ['SETEX a 10 x', 'OK'],
    ['TTL a', 10],
    ['GETSET a y', 'x'],
    ['TTL a', -1],
    ['PSETEX a 10 x', 'OK'],
    ['PTTL a', 10],
    ['SETEX a 0 x', "-ERR invalid expire time in 'setex' command"],
    ['PSETEX a -1 x', "-ERR invalid expire time in 'psetex' command"],
    ['SETEX a x x', '-ERR value is not an integer or out of range'],
  ],
  'MSET, MGET and MSETNX': [
    ['MSET a 1 b 2 a 3', 'OK'],
    ['MGET a nowhere b a', ['3', null, '2', '3']],
    ['MSET a 1 b', "-ERR wrong number of arguments for 'mset' command"],
    ['MSETNX c 1 a 2', 0],
    ['MGET a c', ['3', null]],
    ['MSETNX c 1 d 2 c 3', 1],
    ['MGET c d', ['3', '2']],
    ['MSETNX c 1 d', "-ERR wrong number of arguments for 'msetnx' command"],
  ],
  MSETEX: [
    ['MSETEX 2 a 1 b 2 EX 10', 1],
    ['MGET a b', ['1', '2']],
    ['TTL a', 10],
    ['TTL b', 10],
    ['MSETEX 2 a 3 c 4 NX', 0],
    ['MSETEX 2 a 3 c 4 XX', 0],
    ['EXISTS c', 0],
    ['MSETEX 2 b 3 a 4 xx KEEPTTL', 1],
    ['TTL a', 10],
    ['MGET a b', ['4', '3']],
    ['MSETEX 1 c 1 PX 1500 NX', 1],
    ['PTTL c', 1500],
    ['MSETEX 1 c 1 EXAT 1700000100', 1],
    ['TTL c', 100],
    ['MSETEX 2 c 1 c 2', 1],
    ['GET c', '2'],
    ['TTL c', -1],
    ['MSETEX 1 c 1 PXAT 1', 1],
    ['EXISTS c', 0],
    ['RPUSH l x', 1],
    ['MSETEX 1 l 1 XX', 1],
    ['GET l', '1'],
    ['MSETEX 0 a 1', '-ERR invalid numkeys value'],
    ['MSETEX -1 a 1', '-ERR invalid numkeys value'],
    ['MSETEX x a 1', '-ERR invalid numkeys value'],
    ['MSETEX 2147483648 a 1', '-ERR invalid numkeys value'],
    ['MSETEX 2147483647 a 1', '-ERR wrong number of key-value pairs'],
    ['MSETEX 2 a 1 b', '-ERR wrong number of key-value pairs'],
    ['MSETEX 1 a 1 FOO', '-ERR syntax error'],
    ['MSETEX 1 a 1 GET', '-ERR syntax error'],
    ['MSETEX 1 a 1 IFEQ 1', '-ERR syntax error'],
    ['MSETEX 1 a 1 NX XX', '-ERR syntax error'],
    ['MSETEX 1 a 1 EX 10 PX 10', '-ERR syntax error'],
    ['MSETEX 1 a 1 EX 10 KEEPTTL', '-ERR syntax error'],
    ['MSETEX 1 a 1 EX 0', "-ERR invalid expire time in 'msetex' command"],
    ['MSETEX 1 a', "-ERR wrong number of arguments for 'msetex' command"],
    ['GET a', '4'],
  ],
  'GETDEL and GETEX': [
    ['SET a 1 EX 5', 'OK'],
    ['GETEX a', '1'],
    ['TTL a', 5],
    ['GETEX a PERSIST', '1'],
    ['TTL a', -1],
    ['GETEX a EX 10', '1'],
    ['TTL a', 10],
    ['GETEX a PX 100', '1'],
    ['PTTL a', 100],
    ['GETEX a PXAT 1700000000007', '1'],
    ['PTTL a', 7],
    ['GETEX a EX 10 PERSIST', '-ERR syntax error'],
    ['GETEX a PERSIST EX 10', '-ERR syntax error'],
    ['GETEX a KEEPTTL', '-ERR syntax error'],
    ['GETEX a NX', '-ERR syntax error'],
    ['GETEX a EX 0', "-ERR invalid expire time in 'getex' command"],
    ['GETEX nowhere EX 0', null],
    ['GETEX a EXAT 1', '1'],
    ['EXISTS a', 0],
    ['SET a 2', 'OK'],
    ['GETDEL a', '2'],
    ['GETDEL a', null],
  ],
};

for (const [name, story] of Object.entries(stories)) {
  set(name, () => {
    const context = new CallContext();
    for (const [line, reply] of story) assert.equal(call(context, line), reply, line);
  });
}

set('announces what happened, in order', () => {
  const context = new CallContext();
  call(context, 'SET a 1');
  call(context, 'SET a 1 EX 10');
  call(context, 'MSET a 1 b 2');
  call(context, 'GETEX a PX 5');
  call(context, 'GETEX a PERSIST');
  call(context, 'GETDEL a');
  call(context, 'GET a');
  assert.equal(context.takeAnnounced(), [
    '~n new a',
    '$ set a',
    '~o overwritten a',
    '$ set a',
    '~g expire a',
    '~o overwritten a',
    '$ set a',
    '~n new b',
    '$ set b',
    'g expire a',
    'g persist a',
    'g del a',
    '~m keymiss a',
  ]);
});

set('announces a key anew when it replaces an ended one', () => {
  const context = new CallContext();
  call(context, 'SET a 1 PX 5');
  context.takeAnnounced();
  context.nowMs += 6;
  call(context, 'SET a 2');
  assert.equal(context.takeAnnounced(), ['~n new a', '$ set a']);
  assert.is(call(context, 'TTL a'), -1);
});

set('counts hits and misses of reads only', () => {
  const context = new CallContext();
  call(context, 'SET a 1');
  call(context, 'GET a');
  call(context, 'MGET a b');
  call(context, 'SETNX c 1');
  assert.is(context.hits, 2);
  assert.is(context.misses, 1);
});

set.run();
