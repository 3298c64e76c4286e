import { call, CallContext } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTable } from '../../table/all-commands.ts';

const debug = suite('debug');

const logged: string[] = [];
const ports = { log: { warning: (message: string) => logged.push(message) } };

function context(protocol: 2 | 3 = 2): CallContext {
  return new CallContext({ protocol, ports });
}

const unknown = (name: string): string =>
  `-ERR unknown subcommand or wrong number of arguments for '${name}'. Try DEBUG HELP.`;

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['DEBUG', "-ERR wrong number of arguments for 'debug' command"],
  ['DEBUG FOO', unknown('FOO')],
  ['DEBUG JMAP', unknown('JMAP')],
  ['DEBUG SLEEP', unknown('SLEEP')],
  ['DEBUG sleep 1 2', unknown('sleep')],
  ['DEBUG ERROR "MY text"', '-MY text'],
  ['DEBUG LOG hello', 'OK'],
  ['DEBUG OBJECT nowhere', '-ERR no such key'],
  ['DEBUG DIGEST', '0'.repeat(40)],
  ['DEBUG DIGEST-VALUE nowhere', ['0'.repeat(40)]],
  ['DEBUG DIGEST-VALUE', unknown('DIGEST-VALUE')],
  ['DEBUG HTSTATS x', '-ERR value is not an integer or out of range'],
  ['DEBUG HTSTATS 16', '-ERR Out of range database'],
  ['DEBUG RELOAD', 'OK'],
  [
    'DEBUG RELOAD NOSAVE NOFLUSH MERGE',
    '-ERR DEBUG RELOAD: NOSAVE is not supported, since values are loaded from memory and not from disk',
  ],
  ['DEBUG LOADAOF', '-ERR nothing is kept on disk: persistence.enabled is no'],
  ['DEBUG QUICKLIST-PACKED-THRESHOLD 100b', 'OK'],
  ['DEBUG QUICKLIST-PACKED-THRESHOLD 0', 'OK'],
  [
    'DEBUG QUICKLIST-PACKED-THRESHOLD 4gb',
    '-ERR argument must be a memory value bigger than 1 and smaller than 4gb',
  ],
  ['DEBUG SET-SKIP-CHECKSUM-VALIDATION 1', 'OK'],
  ['DEBUG PAUSE-CRON 1', 'OK'],
  ['DEBUG DICT-RESIZING 0', 'OK'],
  ['DEBUG REPLYBUFFER PEAK-RESET-TIME NEVER', 'OK'],
  ['DEBUG REPLYBUFFER RESIZING 0', 'OK'],
  ['DEBUG REPLYBUFFER PEAK-RESET-TIME x', '-ERR value is not an integer or out of range'],
  ['DEBUG REPLYBUFFER FOO 1', unknown('REPLYBUFFER')],
  ['DEBUG POPULATE x', '-ERR value is not an integer or out of range'],
  ['DEBUG POPULATE -1', '-ERR value is out of range, must be positive'],
  ['DEBUG POPULATE 1 a 2 3', unknown('POPULATE')],
  ['DEBUG PROTOCOL string', 'Hello World'],
  ['DEBUG PROTOCOL integer', 12345],
  ['DEBUG PROTOCOL double', '3.141'],
  ['DEBUG PROTOCOL bignum', '1234567999999999999999999999999999999'],
  ['DEBUG PROTOCOL null', null],
  ['DEBUG PROTOCOL array', [0, 1, 2]],
  ['DEBUG PROTOCOL set', [0, 1, 2]],
  ['DEBUG PROTOCOL map', [0, 0, 1, 1, 2, 0]],
  ['DEBUG PROTOCOL attrib', 'Some real reply following the attribute'],
  ['DEBUG PROTOCOL push', '-ERR RESP2 is not supported by this command'],
  ['DEBUG PROTOCOL verbatim', 'This is a verbatim\nstring'],
  ['DEBUG PROTOCOL true', 1],
  ['DEBUG PROTOCOL false', 0],
  [
    'DEBUG PROTOCOL foo',
    '-ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false',
  ],
];

for (const [line, reply] of cases) {
  debug(line, () => assert.equal(call(context(), line), reply));
}

const inResp3: readonly (readonly [kind: string, reply: unknown])[] = [
  ['double', 3.141],
  ['bignum', 1234567999999999999999999999999999999n],
  ['set', new Set([0, 1, 2])],
  [
    'map',
    new Map([
      [0, false],
      [1, true],
      [2, false],
    ]),
  ],
  ['attrib', 'Some real reply following the attribute'],
  ['true', true],
  ['null', null],
];

for (const [kind, reply] of inResp3) {
  debug(`PROTOCOL ${kind} in RESP3`, () => {
    assert.equal(call(context(3), `DEBUG PROTOCOL ${kind}`), reply);
  });
}

debug('PROTOCOL push in RESP3 is a push and a reply', () => {
  const [, reply] = call(context(3), 'DEBUG PROTOCOL push') as unknown[];
  assert.is(reply, 'Some real reply following the push reply');
});

debug('each part is known to disturb, or not to', () => {
  const { subcommands } = commandTable.byName('DEBUG')!;
  const names = (isProtected: boolean): string[] =>
    subcommands
      .filter((each) => each.isProtected === isProtected)
      .map(({ name }) => name.slice('DEBUG|'.length))
      .sort();
  // Read-only subcommands are open to all clients: a new one must be classified.
  assert.equal(names(false), [
    ...['BUNDLE', 'DIGEST-VALUE', 'ERROR', 'FLIGHT-RECORDER', 'HELP', 'HTSTATS', 'LISTPACK'],
    ...['OBJECT', 'PROTOCOL', 'SHARD', 'TRACING'],
  ]);
  assert.equal(names(true), [
    ...['DICT-RESIZING', 'DIGEST', 'LOADAOF', 'LOG', 'MAIN-SLEEP', 'PAUSE-CRON', 'POPULATE'],
    ...['QUICKLIST-PACKED-THRESHOLD', 'RELOAD', 'REPLYBUFFER', 'SET-ACTIVE-EXPIRE'],
    ...['SET-DISABLE-DENY-SCRIPTS', 'SET-SKIP-CHECKSUM-VALIDATION', 'SLEEP', 'SPILL'],
  ]);
});

debug('SLEEP stops the shard, for a fraction of a second too', () => {
  const shard = context();
  for (const seconds of ['0.25', '1', '0', '-1', 'x']) {
    assert.is(call(shard, `DEBUG SLEEP ${seconds}`), 'OK');
  }
  assert.equal(shard.slept, [0.25, 1]);
});

debug('SET-ACTIVE-EXPIRE is a switch', () => {
  const shard = context();
  call(shard, 'DEBUG SET-ACTIVE-EXPIRE 0');
  assert.is(shard.store.activeExpire, false);
  call(shard, 'DEBUG SET-ACTIVE-EXPIRE 1');
  assert.is(shard.store.activeExpire, true);
});

debug('OBJECT has the fields that tests look for', () => {
  const shard = context();
  call(shard, 'SET k 1234');
  assert.match(
    String(call(shard, 'DEBUG OBJECT k')),
    /^Value at:0x[0-9a-f]+ refcount:1 encoding:int serializedlength:4 lru:\d+ lru_seconds_idle:0$/,
  );
});

debug('LOG reaches the log', () => {
  logged.length = 0;
  call(context(), 'DEBUG LOG "good morning"');
  assert.equal(logged, ['DEBUG LOG: good morning']);
});

debug('DIGEST tells data apart, and not their order', () => {
  const digestOf = (...lines: string[]): unknown => {
    const shard = context();
    for (const line of lines) call(shard, line);
    return call(shard, 'DEBUG DIGEST');
  };
  const one = digestOf('SET a 1', 'SET b 2');
  assert.match(String(one), /^[0-9a-f]{40}$/);
  assert.is(digestOf('SET b 2', 'SET a 1', 'EXPIRE a 100'), one);
  for (const other of [['SET a 1'], ['SET a 2', 'SET b 1'], ['SET a 1', 'SET b 2', 'MOVE b 1']]) {
    assert.is.not(digestOf(...other), one, other.join());
  }
});

debug('DIGEST-VALUE does not look at names', () => {
  const shard = context();
  call(shard, 'MSET a same b same c other');
  const [a, b, c] = call(shard, 'DEBUG DIGEST-VALUE a b c') as string[];
  assert.is(a, b);
  assert.is.not(a, c);
});

debug('POPULATE creates what does not exist, of any length', () => {
  const shard = context();
  call(shard, 'SET key:1 mine');
  assert.is(call(shard, 'DEBUG POPULATE 3'), 'OK');
  assert.equal(call(shard, 'MGET key:0 key:1 key:2'), ['value:0', 'mine', 'value:2']);
  call(shard, 'DEBUG POPULATE 1 other 10');
  assert.is(call(shard, 'GET other:0'), 'value:0\0\0\0');
  call(shard, 'DEBUG POPULATE 1 short 3');
  assert.is(call(shard, 'GET short:0'), 'val');
});

debug('POPULATE creates each key on the shard that owns it', () => {
  const sizes = [0, 1, 2].map((shardIndex) => {
    const shard = new CallContext({ shardIndex, shardCount: 3 });
    call(shard, 'DEBUG POPULATE 300');
    return call(shard, 'DBSIZE') as number;
  });
  assert.is(
    sizes.reduce((total, size) => total + size),
    300,
  );
  for (const size of sizes) assert.ok(size > 50);
});

debug('HTSTATS counts', () => {
  const shard = context();
  call(shard, 'MSET a 1 b 2');
  call(shard, 'EXPIRE a 10');
  assert.is(
    call(shard, 'DEBUG HTSTATS 0 full'),
    '[Dictionary HT]\n shard 0: number of elements: 2\n[Expires HT]\n shard 0: number of elements: 1\n',
  );
});

debug('RELOAD keeps every value, its time and its use, and drops what has ended', () => {
  const context = new CallContext();
  const lines = [
    'SET s text',
    'SET n 12',
    'SET gone x PX 5',
    'SET stays x PX 50',
    'RPUSH l a b c',
    'SADD set 1 2 3',
    'SADD names a b',
    'HSET h f v g w',
    'HPEXPIRE h 100 FIELDS 1 f',
    'ZADD z 1.5 a -inf b',
    'XADD x 1-1 f v',
    'XGROUP CREATE x g 0',
    'XREADGROUP GROUP g c STREAMS x >',
    'PFADD hll a b',
  ];
  for (const line of lines) call(context, line);
  const before = call(context, 'DEBUG DIGEST');
  context.nowMs += 6;
  call(context, 'DEL gone');
  const without = call(context, 'DEBUG DIGEST');
  assert.is.not(before, without);
  assert.is(call(context, 'DEBUG RELOAD'), 'OK');
  assert.is(call(context, 'DEBUG DIGEST'), without);
  assert.is(call(context, 'PTTL stays'), 44);
  assert.equal(call(context, 'HPTTL h FIELDS 2 f g'), [94, -1]);
  assert.equal(call(context, 'XPENDING x g'), [1, '1-1', '1-1', [['c', '1']]]);
});

debug('RELOAD over what is there needs MERGE, as in Redis', () => {
  const context = new CallContext();
  assert.is(call(context, 'DEBUG RELOAD NOFLUSH'), 'OK');
  call(context, 'SET k v');
  assert.is(
    call(context, 'DEBUG RELOAD noflush'),
    '-ERR Error trying to load the RDB dump, check server logs.',
  );
  for (const options of ['MERGE', 'NOFLUSH MERGE', 'merge noflush']) {
    assert.is(call(context, `DEBUG RELOAD ${options}`), 'OK');
  }
  assert.is(call(context, 'GET k'), 'v');
  assert.is(
    call(context, 'DEBUG RELOAD FAST'),
    '-ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.',
  );
});

debug.run();
