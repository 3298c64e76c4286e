/** Rules of users: applying, describing, and the decisions that follow. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { judged, rulesOf } from './acl.test-helper.ts';
import { UserRules } from './user-rules.ts';

const rules = suite('rules of users');

const HASH = '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8';

const described: readonly (readonly [rules: string, description: string])[] = [
  ['', 'off sanitize-payload resetchannels -@all'],
  ['on nopass ~* &* +@all', 'on nopass sanitize-payload ~* &* +@all'],
  ['on >password', `on sanitize-payload #${HASH} resetchannels -@all`],
  ['>password >password #' + HASH, `off sanitize-payload #${HASH} resetchannels -@all`],
  ['>password <password', 'off sanitize-payload resetchannels -@all'],
  ['>password nopass', 'off nopass sanitize-payload resetchannels -@all'],
  ['nopass >password', `off sanitize-payload #${HASH} resetchannels -@all`],
  ['skip-sanitize-payload', 'off skip-sanitize-payload resetchannels -@all'],
  ['~a* ~b* ~a*', 'off sanitize-payload ~a* ~b* resetchannels -@all'],
  ['%R~a* %W~b* %RW~c* %wr~d*', 'off sanitize-payload %R~a* %W~b* ~c* ~d* resetchannels -@all'],
  ['%R~a* %W~a*', 'off sanitize-payload ~a* resetchannels -@all'],
  ['~a* allkeys', 'off sanitize-payload ~* resetchannels -@all'],
  ['allkeys resetkeys ~b', 'off sanitize-payload ~b resetchannels -@all'],
  ['&a &b*', 'off sanitize-payload resetchannels &a &b* -@all'],
  ['+get +set -get', 'off sanitize-payload resetchannels -@all +set -get'],
  ['+@all -@dangerous +keys', 'off sanitize-payload resetchannels +@all -@dangerous +keys'],
  ['+client|id +client', 'off sanitize-payload resetchannels -@all +client'],
  ['+client +client|id', 'off sanitize-payload resetchannels -@all +client +client|id'],
  ['+SELECT|1 +select|0', 'off sanitize-payload resetchannels -@all +select|1 +select|0'],
  ['+cluster|info -migrate', 'off sanitize-payload resetchannels -@all +cluster|info -migrate'],
  ['+get nocommands', 'off sanitize-payload resetchannels -@all'],
  [
    'ratelimit:cps=5 ratelimit:bps=70',
    'off sanitize-payload ratelimit:cps=5 ratelimit:bps=70 resetchannels -@all',
  ],
  ['ratelimit:cps=5 resetratelimit', 'off sanitize-payload resetchannels -@all'],
  ['on nopass ~* &* +@all (+get) reset', 'off sanitize-payload resetchannels -@all'],
];

for (const [given, description] of described) {
  rules(`${given === '' ? 'a new user' : given} is ${description}`, () => {
    const user = rulesOf(...given.split(' '));
    assert.is(user.description, description);
    assert.is(UserRules.of(description).description, description);
  });
}

rules('a selector may stand in one word, with blanks', () => {
  const user = rulesOf('+get', '(+set   "~a\\x62" %R~x)');
  assert.is(user.others[0]!.description, '~ab %R~x resetchannels -@all +set');
  assert.is(rulesOf('(~a* +get)', '(~b* +set)', 'clearselectors').others.length, 0);
});

rules('quotes in a selector are read also within a word', () => {
  const selectorOf = (text: string): string | undefined => rulesOf(text).others[0]?.description;
  const none = 'resetchannels -@all';
  assert.is(selectorOf(`(~a'b' +g"et")`), `~ab ${none} +get`);
  assert.is(selectorOf(String.raw`(~"\x41\"\\" ~'\'\x')`), String.raw`~A"\ ~'\x ${none}`);
  assert.is(selectorOf(`(~a +g"e"t)`), none, 'text behind a quote that closes');
  assert.is(selectorOf(`(~a +get "~b)`), none, 'quotes that nothing closes');
  assert.is(selectorOf(`(~a\0 +get)`), `~a ${none}`);
});

const hardWords: readonly (readonly string[])[] = [
  [String.raw`("~a)" +get)`],
  [String.raw`(~"\"\"*" ~"'" ~"\\\"" +@all)`],
  ['(~a) +get)', '~(b', '&c)'],
  ['(+get|"(x)" &"\'y")'],
  ['+get|a"b', '+get|(', '~"'],
];

for (const words of hardWords) {
  rules(`${words.join(' ')} is the same when its line is read again`, () => {
    const user = rulesOf(...words);
    assert.equal(
      UserRules.of(user.line).selectors.map((selector) => selector.words),
      user.selectors.map((selector) => selector.words),
    );
  });
}

const refused: readonly (readonly [rule: string, message: RegExp, before?: string])[] = [
  ['+nothing', /Unknown command or category/],
  ['-nothing', /Unknown command or category/],
  ['+@nothing', /Unknown command or category/],
  ['%', /Syntax error/],
  ['+get|a b', /Syntax error/],
  ['+client|nothing', /Unknown command or category/],
  ['-select|1', /Unknown command or category/],
  ['+debug|object|x', /Unknown command or category/],
  ['+client|id|x', /first-arg of a subcommand/],
  ['+get|', /Syntax error/],
  ['nonsense', /Syntax error/],
  ['%~a', /Syntax error/],
  ['%RR~a', /Syntax error/],
  ['%X~a', /Syntax error/],
  ['~a b', /Syntax error/],
  ['~a\0b', /Syntax error/],
  ['&a b', /Syntax error/],
  ['(+nothing)', /Unknown command or category/],
  ['ratelimit:cps=0', /Syntax error/],
  ['ratelimit:cps=-1', /Syntax error/],
  ['ratelimit:xps=1', /Syntax error/],
  ['ratelimit:cps=1e3', /Syntax error/],
  ['ratelimit:bps=9999999999999999', /Syntax error/],
  ['#xyz', /exactly 64 characters/],
  [`#${HASH.toUpperCase()}`, /exactly 64 characters/],
  ['!xyz', /exactly 64 characters/],
  ['<nobody', /does not exist/],
  [`!${HASH}`, /does not exist/],
  ['~a', /Adding a pattern after the \*/, 'allkeys'],
  ['&a', /Adding a pattern after the \*/, 'allchannels'],
];

for (const [rule, message, before = ''] of refused) {
  rules(`${JSON.stringify(rule)} is refused`, () => {
    assert.throws(() => rulesOf(before, rule), message);
  });
}

const decisions: readonly (readonly [rules: string, line: string, verdict: string])[] = [
  ['+get ~a*', 'GET a1', 'OK'],
  ['+get ~a*', 'GET b1', "User default has no permissions to access the 'b1' key"],
  ['+get ~a*', 'SET a1 1', "User default has no permissions to run the 'set' command"],
  ['+@all %R~a*', 'GET a', 'OK'],
  ['+@all %R~a*', 'SET a 1', "User default has no permissions to access the 'a' key"],
  ['+@all %W~a*', 'SET a 1', 'OK'],
  ['+@all %W~a*', 'SET a 1 GET', "User default has no permissions to access the 'a' key"],
  ['+@all ~a*', 'MSET a 1 b 2', "User default has no permissions to access the 'b' key"],
  ['+@all ~a* ~b?', 'MSET a 1 bb 2', 'OK'],
  ['+@all ~a* ~[bc]1', 'MGET a b1 c1', 'OK'],
  ['+@all %R~b %W~a', 'COPY b a', 'OK'],
  ['+@all %R~a %W~b', 'COPY b a', "User default has no permissions to access the 'b' key"],
  ['+client|id', 'CLIENT ID', 'OK'],
  ['+client|id', 'CLIENT INFO', "User default has no permissions to run the 'client|info' command"],
  ['+client -client|kill', 'CLIENT ID', 'OK'],
  [
    '+client -client|kill',
    'CLIENT KILL x',
    "User default has no permissions to run the 'client|kill' command",
  ],
  [
    '+@connection -client',
    'CLIENT ID',
    "User default has no permissions to run the 'client|id' command",
  ],
  ['+select|0', 'SELECT 0', 'OK'],
  ['+select|0', 'SELECT 1', "User default has no permissions to run the 'select' command"],
  ['+debug|object ~*', 'DEBUG OBJECT x', 'OK'],
  [
    '+debug|object ~*',
    'DEBUG SLEEP 0',
    "User default has no permissions to run the 'debug' command",
  ],
  ['', 'AUTH x', 'OK'],
  ['', 'HELLO 3', 'OK'],
  ['', 'PING', "User default has no permissions to run the 'ping' command"],
  ['+@all &a*', 'PUBLISH a1 x', 'OK'],
  ['+@all &a*', 'PUBLISH b1 x', "User default has no permissions to access the 'b1' channel"],
  ['+@all &a*', 'SUBSCRIBE a1 b1', "User default has no permissions to access the 'b1' channel"],
  ['+@all &a*', 'PSUBSCRIBE a*', 'OK'],
  ['+@all &a*', 'PSUBSCRIBE a1', "User default has no permissions to access the 'a1' channel"],
  ['+@all &a*', 'SSUBSCRIBE b', "User default has no permissions to access the 'b' channel"],
  ['+@all &a*', 'UNSUBSCRIBE b', 'OK'],
  ['+get ~a (+set ~b)', 'SET b 1', 'OK'],
  ['+get ~a (+set ~b)', 'SET a 1', "User default has no permissions to access the 'a' key"],
  ['(+mget ~a) (+mget ~b)', 'MGET a b', "User default has no permissions to access the 'b' key"],
  ['+@read ~*', 'EVAL x 0', "User default has no permissions to run the 'eval' command"],
  ['+command', 'COMMAND COUNT', 'OK'],
];

for (const [given, line, verdict] of decisions) {
  rules(`${given === '' ? 'nothing allowed' : given}: ${line}`, () => {
    const words = given.match(/\([^)]*\)|\S+/g) ?? [];
    assert.is(judged(rulesOf(...words), line), verdict);
  });
}

rules('an empty key needs a pattern that is all keys', () => {
  assert.is(judged(rulesOf('+get', '~*'), 'GET '), 'OK');
  assert.is.not(judged(rulesOf('+get', '~a*'), 'GET '), 'OK');
});

rules('passwords are accepted of those who may log in', () => {
  const user = rulesOf('on', '>one', '>two');
  assert.ok(user.accepts('one') && user.accepts('two'));
  assert.not(user.accepts('three') || user.accepts(''));
  user.apply('off');
  assert.not(user.accepts('one'));
  assert.ok(rulesOf('on', 'nopass').accepts('anything'));
  assert.not(rulesOf('on').accepts(''));
});

rules('a copy is changed without its original', () => {
  const original = rulesOf('on', '~a*', '+get');
  const copy = original.copy(false);
  copy.apply('+set');
  copy.apply('~b*');
  copy.apply('(+del)');
  copy.apply('&news');
  copy.apply('>secret');
  assert.is(original.description, 'on sanitize-payload ~a* resetchannels -@all +get');
  assert.is(
    judged(original, 'SET a 1'),
    "User default has no permissions to run the 'set' command",
  );
});

rules('tens of thousands of patterns and channels are kept in their order', () => {
  const user = rulesOf('on');
  const words = Array.from({ length: 40_000 }, (_, nth) => `~key:${nth}:*`);
  const channels = Array.from({ length: 40_000 }, (_, nth) => `&news:${nth}`);
  for (const rule of [...words, ...channels, ...words]) user.apply(rule);
  const parts = ['on sanitize-payload', ...words, 'resetchannels', ...channels, '-@all'];
  assert.is(user.description, parts.join(' '));
});

rules.run();
