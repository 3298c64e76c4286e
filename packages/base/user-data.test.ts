import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogFields } from './log.ts';
import { recordWithoutUserData, withoutUserData } from './user-data.ts';

const userData = suite('user data');

/** Records with user data, and what is left of them. */
const records: readonly (readonly [
  event: string,
  before: readonly [message: string, fields: LogFields],
  after: readonly [message: string, fields: LogFields],
])[] = [
  [
    'shard-stuck',
    [
      'shard 1 has been running get for 1.0 s',
      { shard: 1, command: 'get', key: 'k', conn_id: 3, client_name: 'me', user: 'u', addr: 'a' },
    ],
    [
      'shard 1 has been running get for 1.0 s',
      {
        shard: 1,
        command: 'get',
        key: '*redacted*',
        conn_id: 3,
        client_name: '*redacted*',
        user: '*redacted*',
        addr: 'a',
      },
    ],
  ],
  [
    'slow-script',
    ['slow', { key: null, client_name: '' }],
    ['slow', { key: null, client_name: '' }],
  ],
  ['monitor-started', ['on', { filter: 'key=k' }], ['on', { filter: '*redacted*' }]],
  ['script-log', ['a value', {}], ['*redacted*', {}]],
  ['debug-log', ['a value', {}], ['*redacted*', {}]],
  [
    'empty-keys-skipped',
    ['Skipped 2 empty keys of the data: "a: b", "c"', { count: 2 }],
    ['Skipped 2 empty keys of the data: *redacted*', { count: 2 }],
  ],
  [
    'replica-stream-error',
    ['failed', { error: "ERR unknown command 'x', with args", command: 'x', key: 'k' }],
    ['failed', { error: 'ERR *redacted*', command: 'x', key: '*redacted*' }],
  ],
  ['command-refused', ['no', { error: 'WRONGTYPE' }], ['no', { error: 'WRONGTYPE *redacted*' }]],
  ['command-refused', ['no', { error: 'a value' }], ['no', { error: '*redacted*' }]],
  ['log-failed', ['no', { error: 'ENOSPC: no space' }], ['no', { error: 'ENOSPC: no space' }]],
  [
    'limit-began',
    ['Limited by one key: key a\nb takes 90 %', {}],
    ['Limited by one key: *redacted*', {}],
  ],
  [
    'limit-began',
    ['Limited by one command or script: shard-0 has been running get (key k)', {}],
    ['Limited by one command or script: *redacted*', {}],
  ],
  [
    'limit-began',
    ['Limited by the disk: syncs take 9 ms', {}],
    ['Limited by the disk: syncs take 9 ms', {}],
  ],
  [
    'limit-ended',
    ['No longer limited by one key (a) after) after 3 s; worst 90 %', {}],
    ['No longer limited by one key (*redacted*) after 3 s; worst 90 %', {}],
  ],
];

for (const [event, before, after] of records) {
  userData(`of ${event}: ${before[0]}`, () => {
    const of = ([message, fields]: readonly [string, LogFields]) => ({
      ...({ time: 1, level: 'info', thread: 'main', event, message, fields } as const),
    });
    const given = of(before);
    assert.equal(recordWithoutUserData(given), of(after));
    assert.equal(given, of(before), 'the record itself stays as it is');
  });
}

userData('a record without fields gets none', () => {
  const record = { time: 1, level: 'info', thread: 'main', event: 'e', message: 'm' } as const;
  assert.equal(recordWithoutUserData(record), record);
});

userData('what is empty is nothing to hide', () => {
  assert.equal(['k', '', null].map(withoutUserData), ['*redacted*', '', null]);
});

userData.run();
