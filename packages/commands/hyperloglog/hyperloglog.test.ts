import { hyperloglog as structure } from '#store';
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const hyperloglog = suite('hyperloglog');

const notValid = '-WRONGTYPE Key is not a valid HyperLogLog string value.';
const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';

/** Each begins with `h` holding a, b and c, `s` a plain string and `t` a set. */
const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['PFADD h a', 0],
  ['PFADD h d', 1],
  ['PFADD new', 1],
  ['PFADD h', 0],
  ['PFADD s a', notValid],
  ['PFADD t a', wrongType],
  ['PFCOUNT h', 3],
  ['PFCOUNT h nowhere', 3],
  ['PFCOUNT nowhere', 0],
  ['PFCOUNT s', notValid],
  ['PFCOUNT h t', wrongType],
  ['PFMERGE d h nowhere', 'OK'],
  ['PFMERGE d', 'OK'],
  ['PFMERGE d s', notValid],
  ['PFMERGE t h', wrongType],
  ['PFDEBUG ENCODING h', 'sparse'],
  ['PFDEBUG TODENSE h', 1],
  ['PFDEBUG ENCODING nowhere', '-ERR The specified key does not exist'],
  ['PFDEBUG NONSENSE h', "-ERR Unknown PFDEBUG subcommand 'NONSENSE'"],
  ['PFDEBUG ENCODING s', notValid],
  ['PFSELFTEST', 'OK'],
];

function prepared(): CallContext {
  const context = new CallContext();
  call(context, 'PFADD h a b c');
  call(context, 'SET s text');
  call(context, 'SADD t a');
  return context;
}

for (const [line, reply] of cases) {
  hyperloglog(line, () => {
    assert.equal(call(prepared(), line), reply);
  });
}

hyperloglog('has the very registers that Redis 7.4.1 makes of the same elements', () => {
  const context = prepared();
  const runs = 'Z:8436 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603';
  assert.is(call(context, 'PFDEBUG DECODE h'), runs);
  assert.is(
    Buffer.from(String(call(context, 'GET h')).slice(0, 16), 'latin1').toString('hex'),
    '48594c4c010000000000000000000080',
  );
});

hyperloglog('caches a count until something is added', () => {
  const context = prepared();
  call(context, 'PFCOUNT h');
  assert.is(String(call(context, 'GET h')).charCodeAt(8), 3);
  assert.is(String(call(context, 'GET h')).charCodeAt(15) & 0x80, 0);
  call(context, 'PFADD h z');
  assert.is(String(call(context, 'GET h')).charCodeAt(15) & 0x80, 0x80);
});

hyperloglog('turns dense beyond hll-sparse-max-bytes, and counts alike', () => {
  const sparse = new CallContext({ settings: { 'encoding.hll-sparse-max-bytes': 15_000 } });
  const dense = new CallContext({ settings: { 'encoding.hll-sparse-max-bytes': 100 } });
  for (let nth = 0; nth < 2_000; nth += 1) {
    for (const context of [sparse, dense]) call(context, `PFADD h element:${String(nth)}`);
  }
  assert.is(call(sparse, 'PFDEBUG ENCODING h'), 'sparse');
  assert.is(call(dense, 'PFDEBUG ENCODING h'), 'dense');
  assert.is(call(dense, 'PFDEBUG DECODE h'), '-ERR HLL encoding is not sparse');
  const count = call(sparse, 'PFCOUNT h') as number;
  assert.is(call(dense, 'PFCOUNT h'), count);
  assert.ok(Math.abs(count / 2_000 - 1) < 0.03, `${String(count)} is near 2,000`);
  assert.equal(call(sparse, 'PFDEBUG GETREG h'), call(dense, 'PFDEBUG GETREG h'));
});

hyperloglog('keeps when the key expires', () => {
  const context = prepared();
  call(context, 'EXPIRE h 100');
  call(context, 'PFADD h x');
  call(context, 'PFMERGE h nowhere');
  assert.is(call(context, 'TTL h'), 100);
});

hyperloglog('keeps its header whatever becomes of the code', () => {
  const context = new CallContext();
  const header = (): unknown => (call(context, 'GET h') as string).slice(4, 16);
  call(context, 'PFADD h');
  assert.is(header(), `\u0001${'\0'.repeat(10)}\u0080`, 'a new count is not known yet');
  call(context, 'SETRANGE h 5 abc');
  call(context, 'PFCOUNT h');
  call(context, 'PFDEBUG TODENSE h');
  assert.is(header(), `\0abc${'\0'.repeat(8)}`);
  call(context, 'SETRANGE h 8 n');
  call(context, 'PFMERGE h');
  assert.is(header(), `\0abcn${'\0'.repeat(6)}\u0080`, 'the old count stays, and counts no more');
});

hyperloglog('answers a broken code with an error', () => {
  const context = prepared();
  const value = Buffer.from(structure.emptySparse());
  call(context, ['SET', 'h', `${value.subarray(0, 15).toString('latin1')}\u0080\u007f`]);
  for (const line of ['PFCOUNT h', 'PFMERGE d h', 'PFDEBUG GETREG h']) {
    assert.is(call(context, line), '-INVALIDOBJ Corrupted HLL object detected', line);
  }
});

/** A sparse value of these opcodes, whose count is not known. */
const sparse = (...opcodes: number[]): string =>
  `HYLL\u0001${'\0'.repeat(10)}\u0080${String.fromCharCode(...opcodes)}`;

hyperloglog('raises what a cut code still names', () => {
  // The first byte of a run of zeros whose length has two, or a run whose second byte is all that is missing.
  for (const cut of [sparse(0x7f), sparse(0x40), sparse(0x7f, 0xff, 0x40), sparse(0x87, 0x7f)]) {
    const context = new CallContext();
    for (let nth = 0; nth < 200; nth += 1) {
      call(context, ['SET', 'h', cut]);
      const reply = call(context, `PFADD h ${String(nth)}`);
      assert.ok([1, '-INVALIDOBJ Corrupted HLL object detected'].includes(reply as number), cut);
    }
  }
});

hyperloglog('takes no code for whole that goes on behind all registers', () => {
  const context = new CallContext();
  call(context, ['SET', 'h', sparse(0x7f, 0xff, 0x80)]);
  assert.is(call(context, 'PFMERGE d h'), '-INVALIDOBJ Corrupted HLL object detected');
  assert.is(call(context, 'PFADD h a'), 1);
  assert.is(call(context, 'PFCOUNT h'), '-INVALIDOBJ Corrupted HLL object detected');
});

hyperloglog('keeps what was added before a register that its code does not name', () => {
  const context = new CallContext();
  // Of 9,000 registers: some elements fall beyond.
  call(context, ['SET', 'h', sparse(0x40 | (8_999 >> 8), 8_999 & 255)]);
  const elements = Array.from({ length: 40 }, (_, nth) => `e${String(nth)}`).join(' ');
  context.isLogged = true;
  assert.is(call(context, `PFADD h ${elements}`), '-INVALIDOBJ Corrupted HLL object detected');
  const logged = context.logged
    .flat()
    .map((word) => Buffer.from(word as string).toString('latin1'));
  context.isLogged = false;
  assert.equal(logged, ['SET', 'h', call(context, 'GET h'), 'KEEPTTL']);
  assert.not.equal(call(context, 'PFDEBUG DECODE h'), 'Z:9000');
});

hyperloglog('answers whatever count is written into the value', () => {
  const context = new CallContext();
  call(context, 'PFADD h a');
  call(context, ['SETRANGE', 'h', '8', '\u0000922337\u0032']);
  assert.equal(call(context, 'PFCOUNT h'), 3618417120593983744n);
});

hyperloglog.run();
