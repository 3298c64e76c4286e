import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callersOf, isCallOf } from './command-matches.ts';

const matches = suite('entries of a command');

matches('a call is found in any case, and a subcommand only by both words', () => {
  assert.ok(isCallOf('get', ['GET', 'key']));
  assert.not.ok(isCallOf('get', ['GETSET', 'key', 'v']));
  assert.ok(isCallOf('client|list', ['client', 'LIST']));
  assert.not.ok(isCallOf('client|list', ['CLIENT', 'ID']));
  assert.not.ok(isCallOf('client|list', ['CLIENT']));
});

matches('callers are summed by address and name, those with most time first', () => {
  const entry = (address: string, us: number, name = '') => ({
    client_addr: address,
    client_name: name,
    duration_us: us,
  });
  const callers = callersOf([entry('a', 1), entry('b', 5), entry('a', 2), entry('a', 3, 'n')]);
  assert.equal(callers, [
    { address: 'b', name: '', entries: 1, us: 5 },
    { address: 'a', name: '', entries: 2, us: 3 },
    { address: 'a', name: 'n', entries: 1, us: 3 },
  ]);
});

matches.run();
