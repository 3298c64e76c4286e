import { call, CallContext } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const expire = suite('expire');

const notInteger = '-ERR value is not an integer or out of range';
const invalid = (name: string): string => `-ERR invalid expire time in '${name}' command`;

/** Time to live before (-1: none), a line, its reply, and PTTL afterwards. */
const cases: readonly (readonly [ttlMs: number, line: string, reply: unknown, after: number])[] = [
  [-1, 'EXPIRE k 10', 1, 10_000],
  [-1, 'PEXPIRE k 1500', 1, 1500],
  [-1, 'EXPIREAT k 1700000005', 1, 5000],
  [-1, 'PEXPIREAT k 1700000000005', 1, 5],
  [-1, 'EXPIRE k 0', 1, -2],
  [-1, 'EXPIRE k -5', 1, -2],
  [-1, 'EXPIREAT k 1', 1, -2],
  [-1, 'EXPIRE k 10 NX', 1, 10_000],
  [5000, 'EXPIRE k 10 NX', 0, 5000],
  [-1, 'EXPIRE k 10 XX', 0, -1],
  [5000, 'EXPIRE k 10 XX', 1, 10_000],
  [-1, 'EXPIRE k 10 GT', 0, -1],
  [5000, 'EXPIRE k 10 GT', 1, 10_000],
  [5000, 'EXPIRE k 5 GT', 0, 5000],
  [-1, 'EXPIRE k 10 LT', 1, 10_000],
  [5000, 'EXPIRE k 10 LT', 0, 5000],
  [5000, 'EXPIRE k 4 LT', 1, 4000],
  [5000, 'EXPIRE k 10 XX GT', 1, 10_000],
  [-1, 'EXPIRE k 10 XX LT', 0, -1],
  [5000, 'EXPIRE k 4 xx lt', 1, 4000],
  [
    5000,
    'EXPIRE k 10 NX XX',
    '-ERR NX and XX, GT or LT options at the same time are not compatible',
    5000,
  ],
  [
    5000,
    'EXPIRE k 10 NX LT',
    '-ERR NX and XX, GT or LT options at the same time are not compatible',
    5000,
  ],
  [5000, 'EXPIRE k 10 GT LT', '-ERR GT and LT options at the same time are not compatible', 5000],
  [5000, 'EXPIRE k 10 AB', '-ERR Unsupported option AB', 5000],
  [5000, 'EXPIRE k 10 "A\\u0000B"', '-ERR Unsupported option A', 5000],
  [5000, 'EXPIRE k 10 "A\\r\\nB\\r\\n"', '-ERR Unsupported option A  B', 5000],
  [5000, 'EXPIRE k x AB', '-ERR Unsupported option AB', 5000],
  [5000, 'EXPIRE k x', notInteger, 5000],
  [5000, 'EXPIRE k 9223372036854775808', notInteger, 5000],
  [5000, 'EXPIRE k 9223372036854775807', invalid('expire'), 5000],
  [5000, 'EXPIRE k -9223372036854775807', invalid('expire'), 5000],
  [5000, 'PEXPIRE k 9223372036854770000', invalid('pexpire'), 5000],
  [5000, 'EXPIREAT k 9223372036854775807', invalid('expireat'), 5000],
  [5000, 'PEXPIREAT k -9223372036854775808', 1, -2],
  [5000, 'PERSIST k', 1, -1],
  [-1, 'PERSIST k', 0, -1],
];

for (const [ttlMs, line, reply, after] of cases) {
  expire(`${line} with ${ttlMs}`, () => {
    const context = new CallContext();
    call(context, ttlMs < 0 ? 'SET k v' : `SET k v PX ${ttlMs}`);
    assert.equal(call(context, line), reply);
    assert.is(call(context, 'PTTL k'), after);
  });
}

expire('takes the latest moments, too', () => {
  const context = new CallContext();
  call(context, 'SET k v');
  assert.is(call(context, 'PEXPIREAT k 9223372036854775807'), 1);
  assert.is(call(context, 'PEXPIRETIME k'), Number.MAX_SAFE_INTEGER);
});

expire('answers 0 for a key that does not exist', () => {
  const context = new CallContext();
  for (const line of ['EXPIRE k 1', 'PEXPIREAT k 1', 'PERSIST k']) {
    assert.is(call(context, line), 0, line);
  }
});

const lifetimes: readonly (readonly [
  line: string,
  missing: number,
  without: number,
  with1499: number,
])[] = [
  ['TTL k', -2, -1, 1],
  ['PTTL k', -2, -1, 1499],
  ['EXPIRETIME k', -2, -1, 1_700_000_001],
  ['PEXPIRETIME k', -2, -1, 1_700_000_001_499],
];

for (const [line, missing, without, with1499] of lifetimes) {
  expire(line, () => {
    const context = new CallContext();
    assert.is(call(context, line), missing);
    call(context, 'SET k v');
    assert.is(call(context, line), without);
    call(context, 'PEXPIRE k 1499');
    assert.is(call(context, line), with1499);
  });
}

expire('rounds seconds to the nearest', () => {
  const context = new CallContext();
  call(context, 'SET k v PX 1500');
  assert.is(call(context, 'TTL k'), 2);
});

expire('a key is there in its last millisecond, and then no more', () => {
  const context = new CallContext();
  call(context, 'SET k v PX 100');
  context.nowMs += 100;
  assert.is(call(context, 'GET k'), 'v');
  assert.is(call(context, 'PTTL k'), 0);
  context.nowMs += 1;
  for (const [line, reply] of [
    ['GET k', null],
    ['EXISTS k', 0],
    ['DEL k', 0],
    ['TTL k', -2],
  ] as const) {
    assert.is(call(context, line), reply, line);
  }
});

expire('announces what it did', () => {
  const context = new CallContext();
  call(context, 'SET k v');
  context.takeAnnounced();
  for (const line of ['EXPIRE k 10', 'PERSIST k', 'PERSIST k', 'EXPIRE k -1', 'EXPIRE k 1']) {
    call(context, line);
  }
  assert.equal(context.takeAnnounced(), ['g expire k', 'g persist k', 'g del k']);
});

expire.run();
