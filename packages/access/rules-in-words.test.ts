/** Rules of a user in words. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UserRules } from '#acl';
import { rulesInWords } from './rules-in-words.ts';

const words = suite('rules in words');

function wordsOf(...rules: readonly string[]): readonly string[] {
  const of = new UserRules(false);
  for (const rule of rules) of.apply(rule);
  return rulesInWords(of);
}

const NOTHING = ['Commands: none.', 'Keys: none.', 'Channels: none.'];

words('a new user may do nothing', () => {
  assert.equal(wordsOf(), ['May not log in: it is off.', ...NOTHING]);
});

words('how it may log in', () => {
  assert.is(wordsOf('on')[0], 'May not log in: it has no password.');
  assert.is(wordsOf('on', 'nopass')[0], 'May log in with any password.');
  assert.is(wordsOf('on', '>one')[0], 'May log in with its password.');
  assert.is(wordsOf('on', '>one', '>two')[0], 'May log in with any of its 2 passwords.');
});

words('rules of commands count in their order', () => {
  assert.is(wordsOf('+@all')[1], 'Commands: all.');
  assert.is(
    wordsOf('+@all', '-@dangerous', '-flushall')[1],
    'Commands: all; then without @dangerous, flushall.',
  );
  assert.is(
    wordsOf('+@read', '+set', '-keys', '+config|get')[1],
    'Commands: none; then with @read, set; then without keys; then with config|get.',
  );
});

words('keys by what may be done with them, and channels', () => {
  const [, , keys, channels] = wordsOf('~a*', '%R~b', '%W~c', '~d', '&x', '&y*');
  assert.is(keys, 'Keys: reads b; writes c; reads and writes a*, d.');
  assert.is(channels, 'Channels: x, y*.');
  assert.equal(wordsOf('allkeys', 'allchannels').slice(2), ['Keys: all.', 'Channels: all.']);
});

words('selectors, limits and payloads', () => {
  const rules = ['(+get ~a)', 'ratelimit:cps=1000', 'ratelimit:bps=5', 'skip-sanitize-payload'];
  assert.equal(wordsOf(...rules).slice(4), [
    'Or, by selector 1: Commands: none; then with get.',
    'Or, by selector 1: Keys: reads and writes a.',
    'Or, by selector 1: Channels: none.',
    'At most 1,000 commands per second, all connections together.',
    'At most 5 bytes per second, in and out, all connections together.',
    'Values of RESTORE are not inspected.',
  ]);
});

words.run();
