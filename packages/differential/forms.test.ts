/** Tests which differences between two replies are accepted, and that all others are not. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formOf } from './forms.ts';
import { encoded, parseReply, shown, splitReplies, type Piece } from './wire.ts';

const forms = suite('forms of replies');

const array = (...texts: string[]): string => encoded(texts);
const both = (ours: string, theirs: string): { ours: Piece; theirs: Piece } => ({
  ours: parseReply(ours),
  theirs: parseReply(theirs),
});

/** A command, two replies, and whether they say the same; drawing ones draw from `a b c`. */
const cases: readonly (readonly [line: string, ours: string, theirs: string, same: boolean])[] = [
  ['GET k', '$1\r\na\r\n', '$1\r\na\r\n', true],
  ['GET k', '$2\r\nOK\r\n', '+OK\r\n', false],
  ['GET k', '$-1\r\n', '*-1\r\n', false],
  ['GET k', '$-1\r\n', '$2\r\n-1\r\n', false],
  ['LRANGE k 0 -1', array('a', 'b'), array('b', 'a'), false],
  ['SMEMBERS k', array('a', 'b'), array('b', 'a'), true],
  ['SMEMBERS k', array('a', 'b'), array('a', 'a'), false],
  ['SMEMBERS k', array('a', 'b'), array('a'), false],
  ['SMEMBERS k', array('a'), '-ERR x\r\n', false],
  ['smembers k', '~1\r\n+a\r\n', '*1\r\n+a\r\n', false],
  ['HGETALL k', array('a', '1', 'b', '2'), array('b', '2', 'a', '1'), true],
  ['HGETALL k', array('a', '1', 'b', '2'), array('a', '2', 'b', '1'), false],
  ['PTTL k', ':100000\r\n', ':99000\r\n', true],
  ['PTTL k', ':100000\r\n', ':50000\r\n', false],
  ['PTTL k', ':-1\r\n', ':-2\r\n', false],
  ['HTTL k', '*1\r\n:100\r\n', '*1\r\n:99\r\n', true],
  ['SRANDMEMBER k', '$1\r\na\r\n', '$1\r\nb\r\n', true],
  ['SRANDMEMBER k', '$1\r\nx\r\n', '$1\r\nb\r\n', false],
  ['SRANDMEMBER k', '$-1\r\n', '$1\r\nb\r\n', false],
  ['SRANDMEMBER k 2', array('a', 'b'), array('c', 'b'), true],
  ['SRANDMEMBER k 2', array('a', 'a'), array('c', 'b'), false],
  ['SRANDMEMBER k -2', array('a', 'a'), array('c', 'b'), true],
  ['SPOP k 2', array('a'), array('c', 'b'), false],
];

for (const [line, ours, theirs, same] of cases) {
  const words = line.split(' ');
  const texts = JSON.stringify([ours, theirs]);
  forms(`${line}: ${texts} ${same ? 'are' : 'are not'} the same`, () => {
    const before = both(array('a', 'b', 'c'), array('a', 'b', 'c'));
    assert.is(formOf(words[0]!)(both(ours, theirs), { words, before }), same);
  });
}

forms('cut a stream apart, and leave out what is not whole', () => {
  const replies = [
    ...['+OK\r\n', ':1\r\n', '$-1\r\n', '*-1\r\n', '$4\r\n\r\n\r\n\r\n', '*0\r\n', '_\r\n'],
    ...['*2\r\n*1\r\n$1\r\na\r\n:2\r\n', '%1\r\n$1\r\na\r\n~1\r\n,1.5\r\n', '=5\r\ntxt:a\r\n'],
  ];
  assert.equal(splitReplies(replies.join('')), replies);
  assert.equal(splitReplies(`${replies.join('')}$4\r\nab\r\n`), replies);
  assert.equal(splitReplies('*2\r\n:1\r\n'), []);
  assert.is(shown(parseReply(replies[8]!)), '%[$"a" ~[,"1.5"]]');
});

forms.run();
