import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientEntry } from '../api.ts';
import { flagWords, groupsOf, stateOf } from './client-words.ts';

const words = suite('clients in words');

words('flags are words, and none of them is an empty text', () => {
  assert.is(flagWords('N'), '');
  assert.is(flagWords('Pxb'), 'pub/sub, transaction, blocked');
});

const blocked = {
  by: 'key',
  since_time_ms: 1,
  key: 'q',
  binary: false,
  cut: false,
  keys: 1,
} as const;

words('a wait names its key, and the number of others', () => {
  const of = (more: object): string =>
    stateOf({ last_command: 'blpop', pending_commands: 1, blocked: { ...blocked, ...more } });
  assert.is(of({}), 'blpop waits for q');
  assert.is(of({ keys: 3 }), 'blpop waits for q and 2 more keys');
  assert.is(of({ key: 'long', cut: true }), 'blpop waits for long…');
  assert.is(of({ key: '\xff', binary: true }), 'blpop waits for \\xff');
  assert.is(of({ by: 'reply', key: null, keys: 0 }), 'blpop waits for its reply');
  assert.is(of({ by: 'pause', key: null, keys: 0 }), 'held back by CLIENT PAUSE');
});

words('a client without a wait is idle, or runs its last command', () => {
  const of = (pending: number): string =>
    stateOf({ last_command: 'get', pending_commands: pending, blocked: null });
  assert.equal([of(0), of(1), of(16)], ['idle', 'runs get', '16 commands in flight']);
});

words('groups are summed, without the port of an address', () => {
  const client = (id: number, addr: string, more: Partial<ClientEntry> = {}): ClientEntry =>
    ({ id, addr, memory_bytes: 10, output_buffer_bytes: 1, blocked: null, ...more }) as ClientEntry;
  const clients = [
    client(1, '10.0.0.1:1'),
    client(2, '10.0.0.2:1'),
    client(3, '10.0.0.2:2', { blocked }),
  ];
  const rates = new Map([['3', 5]]);
  assert.equal(groupsOf(clients, 'address', rates), [
    { group: '10.0.0.2', clients: 2, blocked: 1, rate: 5, memoryBytes: 20, unsentBytes: 2 },
    { group: '10.0.0.1', clients: 1, blocked: 0, rate: null, memoryBytes: 10, unsentBytes: 1 },
  ]);
});

words.run();
