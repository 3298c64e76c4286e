/** Users as a whole: changes by all rules or none, ACL files, and who hears of it. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Users } from './users.ts';

const users = suite('users');

function newUsers(): Users {
  return new Users({ allowsAllChannels: () => false, rowOf: () => 0 });
}

function namesOf(all: Users): readonly string[] {
  return all.all.map(({ name }) => name);
}

users('are in the order of their names', () => {
  const all = newUsers();
  for (const name of ['zoe', 'Bob', 'alice']) all.set(name, []);
  assert.equal(namesOf(all), ['Bob', 'alice', 'default', 'zoe']);
});

users('take all rules of a change, or none', () => {
  const all = newUsers();
  all.set('bob', ['on', '+get']);
  assert.throws(() => {
    all.set('bob', ['off', '+set', 'nonsense']);
  }, /ACL SETUSER modifier 'nonsense': Syntax error/);
  assert.is(all.get('bob')!.rules.description, 'on sanitize-payload resetchannels -@all +get');
  assert.throws(() => {
    all.set('carl', ['nonsense']);
  });
  assert.is(all.get('carl'), undefined);
});

users('join selectors given in several words, and name one that is open', () => {
  const all = newUsers();
  all.set('bob', ['(+get', '~a*)', '(+set)']);
  assert.is(all.get('bob')!.rules.others.length, 2);
  assert.throws(() => {
    all.set('bob', ['on', '(+get', '~a*']);
  }, /Unmatched parenthesis in acl selector starting at '\(\+get'/);
});

users('have names without blanks and zero bytes, of any length', () => {
  const all = newUsers();
  for (const name of ['a b', 'a\0b', 'a\tb']) {
    assert.throws(() => {
      all.set(name, []);
    }, /Usernames can't contain spaces/);
  }
  const long = 'x'.repeat(64 * 1024);
  all.set(long, ['on']);
  assert.ok(all.get(long));
});

users('of a refused rule no password is shown', () => {
  const all = newUsers();
  assert.throws(
    () => {
      all.set('bob', ['<s3cret']);
    },
    (error: Error) => !error.message.includes('s3cret'),
  );
});

users('the default one cannot be deleted, and then nobody is', () => {
  const all = newUsers();
  all.set('bob', []);
  assert.throws(() => all.delete(['bob', 'default']), /cannot be removed/);
  assert.is(all.delete(['bob', 'nobody', 'bob']), 1);
  assert.equal(namesOf(all), ['default']);
});

users('a file makes the same users again', () => {
  const all = newUsers();
  all.set('bob', ['on', '>x', '~a*', '+@read', '(+set ~b*)', 'ratelimit:cps=5']);
  all.set('default', ['+@all', '-flushall']);
  const other = newUsers();
  other.set('carl', []);
  assert.is(other.load(all.fileText, 'f'), undefined);
  assert.is(other.fileText, all.fileText);
  assert.equal(namesOf(other), ['bob', 'default']);
});

const broken: readonly (readonly [text: string, message: string])[] = [
  ['nonsense', 'users.acl:1 should start with user keyword followed by the username. '],
  ['\n\nuser', 'users.acl:3 should start with user keyword followed by the username. '],
  ['user a on\nuser a off', "users.acl:2: WARNING: Duplicate user 'a' found on line 2. "],
  [
    'user a +nothing',
    "users.acl:1: Error in applying operation '+nothing': Unknown command or category name in ACL. ",
  ],
  ['user a nonsense more', 'users.acl:1: Syntax error (rule 1). '],
  ['user a on ratelimit:cps=x', "users.acl:1: Syntax error (rule 2: 'ratelimit:cps=x'). "],
  [
    'user a (+get',
    "users.acl:1: Unmatched parenthesis in selector definition (it begins with '(+get...'). ",
  ],
  [
    'user a on (>s3cret',
    "users.acl:1: Unmatched parenthesis in selector definition (it begins with '(>(redacted)...'). ",
  ],
  ['user a\tb on', "'users.acl:1: username 'a\tb' contains invalid characters. "],
];

for (const [text, message] of broken) {
  users(`a file is refused whole: ${JSON.stringify(text)}`, () => {
    const all = newUsers();
    all.set('bob', ['on']);
    const before = all.fileText;
    const end =
      'WARNING: ACL errors detected, no change to the previously active ACL rules was performed';
    assert.is(all.load(text, 'users.acl'), message + end);
    assert.is(all.fileText, before);
  });
}

users('a file without the default user leaves it as everybody is', () => {
  const all = newUsers();
  all.set('default', ['off']);
  assert.is(all.load('user bob on\r\n\n', 'f'), undefined);
  assert.is(all.default.rules.description, 'on nopass sanitize-payload ~* &* +@all');
});

users('tell of each change, once it holds', () => {
  const all = newUsers();
  const heard: string[] = [];
  all.listener = {
    changing: (user) => heard.push(`changing ${user.name} ${user.rules.flags[0]!}`),
    changed: (user) => heard.push(`changed ${user.name} ${user.rules.flags[0]!}`),
    deleted: (user) => heard.push(`deleted ${user.name}`),
  };
  all.set('bob', ['on']);
  all.set('bob', ['off']);
  all.delete(['bob']);
  assert.equal(heard, ['changed bob on', 'changing bob on', 'changed bob off', 'deleted bob']);
});

users('there may be 10,000 of them', () => {
  const all = newUsers();
  for (let nth = 0; nth < 10_000; nth += 1) all.set(`user${nth}`, ['on', '+get', `~${nth}:*`]);
  assert.is(all.count, 10_001);
  const other = newUsers();
  assert.is(other.load(all.fileText, 'f'), undefined);
  assert.is(other.count, 10_001);
});

users.run();
