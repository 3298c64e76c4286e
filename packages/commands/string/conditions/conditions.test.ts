/** IFEQ and its kin, DIGEST, DELEX and DELIFEQ; and what all commands with conditions replicate. */

import { call, CallContext } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const conditions = suite('conditions');

const HELLO = '9555e8555c62dcfd';
const OTHER = '0000000000000000';
const badDigest = '-ERR must be exactly 16 hexadecimal characters';
const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';

/** Lines of one story, and the reply to each. */
type Story = readonly (readonly [line: string, reply: unknown])[];

const stories: Readonly<Record<string, Story>> = {
  'SET with a condition on the value': [
    ['SET a 1 IFEQ 1', null],
    ['SET a 1 IFDEQ 1', null],
    ['SET a hello IFNE x', 'OK'],
    ['SET b hello IFDNE x', 'OK'],
    ['SET a 2 IFEQ hell', null],
    ['SET a 2 IFEQ hellO', null],
    ['SET a 2 ifne hello', null],
    ['GET a', 'hello'],
    [`SET a 2 IFDEQ ${OTHER}`, null],
    [`SET a 2 IFDNE ${HELLO}`, null],
    [`SET a 2 ifdeq ${HELLO.toUpperCase()}`, 'OK'],
    ['SET a 3 IFEQ 2', 'OK'],
    ['SET a 4 IFNE 2', 'OK'],
    [`SET a 5 IFDNE ${OTHER}`, 'OK'],
    ['SET a "" IFEQ 5', 'OK'],
    ['SET a 6 IFEQ ""', 'OK'],
    ['GET a', '6'],
  ],
  'SET with a condition and GET': [
    ['SET a 1 IFEQ x GET', null],
    ['EXISTS a', 0],
    ['SET a 1 GET IFNE x', null],
    ['SET a 2 IFEQ x GET', '1'],
    ['GET a', '1'],
    ['SET a 2 GET IFEQ 1', '1'],
    ['GET a', '2'],
    ['SET a 3 IFDEQ 1 GET', badDigest],
    ['GET a', '2'],
  ],
  'SET with a condition and an expiry': [
    ['SET a 1 EX 10', 'OK'],
    ['SET a 2 IFEQ 1 KEEPTTL', 'OK'],
    ['TTL a', 10],
    ['SET a 3 IFEQ 2 PX 500', 'OK'],
    ['PTTL a', 500],
    ['SET a 4 EX 100 IFEQ x', null],
    ['PTTL a', 500],
    ['SET a 4 IFEQ 3', 'OK'],
    ['TTL a', -1],
    ['SET a 5 IFEQ 4 EX 0', "-ERR invalid expire time in 'set' command"],
    ['GET a', '4'],
  ],
  'SET judges conditions': [
    ['SET a 1', 'OK'],
    ...['IFEQ', 'IFEQ 1 IFEQ 1', 'IFEQ 1 IFNE 2', 'NX IFEQ 1', 'IFEQ 1 XX', 'IFDNE'].map(
      (words) => [`SET a 2 ${words}`, '-ERR syntax error'] as const,
    ),
    ['SET a 2 IFEQ IFNE', null],
    ['SET a 2 IFDEQ 123', badDigest],
    [`SET a 2 IFDNE ${OTHER}0`, badDigest],
    ['SET a 2 IFDEQ zzzzzzzzzzzzzzzz', null],
    ['SET a 2 IFDNE zzzzzzzzzzzzzzzz', 'OK'],
    ['GETEX a IFEQ 1', '-ERR syntax error'],
  ],
  DIGEST: [
    ['SET a hello', 'OK'],
    ['DIGEST a', HELLO],
    ['SET a ""', 'OK'],
    ['DIGEST a', '2d06800538d394c2'],
    ['SET a 123', 'OK'],
    ['DIGEST a', '404a763b3f4c8c9a'],
    ['INCR a', 124],
    ['SET b 124', 'OK'],
    ['DIGEST a', '8c9308c37dd84938'],
    ['SET a v8', 'OK'],
    ['DIGEST a', '0cc76dbb41381419'],
    ['DIGEST nowhere', null],
    ['DIGEST a b', "-ERR wrong number of arguments for 'digest' command"],
  ],
  DELEX: [
    ['DELEX a', 0],
    ['RPUSH a x', 1],
    ['DELEX a IFEQ x', '-ERR Key should be of string type if conditions are specified'],
    ['DELEX a FOO x', '-ERR Key should be of string type if conditions are specified'],
    ['DELEX a', 1],
    ['EXISTS a', 0],
    ['DELEX a IFEQ', "-ERR wrong number of arguments for 'delex' command"],
    ['DELEX a FOO x', 0],
    ['DELEX a IFDNE 1', 0],
    ['SET a hello', 'OK'],
    ['DELEX a IFEQ x y', "-ERR wrong number of arguments for 'delex' command"],
    ['DELEX a FOO hello', '-ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE'],
    ['DELEX a IFDEQ 0123', badDigest],
    ['DELEX a IFEQ x', 0],
    ['DELEX a IFNE hello', 0],
    [`DELEX a IFDEQ ${OTHER}`, 0],
    [`DELEX a IFDNE ${HELLO}`, 0],
    ['DELEX a ifeq hello', 1],
    ['SET a hello', 'OK'],
    ['DELEX a IFNE x', 1],
    ['SET a hello', 'OK'],
    [`DELEX a IFDEQ ${HELLO}`, 1],
    ['SET a hello', 'OK'],
    [`DELEX a IFDNE ${OTHER}`, 1],
    ['SET a 0123', 'OK'],
    ['DELEX a IFEQ 123', 0],
  ],
  DELIFEQ: [
    ['DELIFEQ a x', 0],
    ['SET a x', 'OK'],
    ['DELIFEQ a y', 0],
    ['DELIFEQ a x', 1],
    ['EXISTS a', 0],
    ['SET a ""', 'OK'],
    ['DELIFEQ a ""', 1],
    ['RPUSH a x', 1],
    ['DELIFEQ a x', wrongType],
    ['DELIFEQ a', "-ERR wrong number of arguments for 'delifeq' command"],
  ],
};

for (const [name, story] of Object.entries(stories)) {
  conditions(name, () => {
    const context = new CallContext();
    for (const [line, reply] of story) assert.equal(call(context, line), reply, line);
  });
}

/** Lines after a first one, the commands that are replicated in their place, and what is announced. */
const effects: readonly (readonly [
  line: string,
  logged: readonly string[],
  announced: string[],
])[] = [
  ['SET a 2 IFEQ x', [], []],
  ['SET a 2 IFEQ 1', ['SET a 2'], ['~o overwritten a', '$ set a']],
  ['SET a 3 IFNE 1 KEEPTTL', ['SET a 3 KEEPTTL'], ['~o overwritten a', '$ set a']],
  [
    'SET a 4 IFEQ 3 PX 5',
    ['SET a 4 PXAT 1700000000005'],
    ['~o overwritten a', '$ set a', '~g expire a'],
  ],
  ['SET a 5 IFEQ 4 GET', ['SET a 5'], ['~o overwritten a', '$ set a']],
  ['DELEX a IFEQ 4', [], []],
  ['DELEX a IFEQ 5', ['DEL a'], ['g del a']],
  ['MSETEX 2 a 1 b 2', ['MSET a 1 b 2'], ['~n new a', '$ set a', '~n new b', '$ set b']],
  ['DELIFEQ b 2', ['DEL b'], ['g del b']],
  ['DELEX a', ['DEL a'], ['g del a']],
  ['DELEX a', [], []],
  [
    'MSETEX 2 a 1 b 2 EX 1',
    ['SET a 1 PXAT 1700000001000', 'SET b 2 PXAT 1700000001000'],
    ['~n new a', '$ set a', '~g expire a', '~n new b', '$ set b', '~g expire b'],
  ],
  ['MSETEX 1 a 1 KEEPTTL', ['SET a 1 KEEPTTL'], ['~o overwritten a', '$ set a']],
  ['MSETEX 1 a 1 NX', [], []],
];

conditions('replicates and announces what conditional commands did', () => {
  const context = new CallContext();
  context.isReplicated = true;
  call(context, 'SET a 1');
  for (const [line, logged, announced] of effects) {
    context.logged = [];
    context.takeAnnounced();
    call(context, line);
    const words = context.logged.map((each) => each.map((word) => word.toString()).join(' '));
    assert.equal(words, logged, line);
    assert.equal(context.takeAnnounced(), announced, line);
  }
});

conditions.run();
