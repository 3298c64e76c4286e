import { AssertionError, CommandError, isResourceError } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const resourceError = suite('resource-error');

const thrown = (what: () => unknown): unknown => {
  try {
    what();
  } catch (error) {
    return error;
  }
  throw new Error('expected an error');
};

function nest(): number {
  return nest() + 1;
}

const refused: Readonly<Record<string, () => unknown>> = {
  'a text beyond the longest': () => 'x'.repeat(2 ** 30),
  'texts joined beyond the longest': () =>
    Array(4)
      .fill('x'.repeat(2 ** 28))
      .join(''),
  'bytes as a text beyond the longest': () => Buffer.allocUnsafe(2 ** 29 + 8).toString('latin1'),
  'an array of bytes beyond the longest': () => new Uint8Array(2 ** 40),
  'memory beyond the longest': () => new ArrayBuffer(2 ** 60),
  'memory that the machine does not have': () => new ArrayBuffer(2 ** 45),
  'shared memory that the machine does not have': () => new SharedArrayBuffer(2 ** 45),
  'an array beyond the longest': () => new Array<number>(2 ** 33),
  'a buffer beyond the longest': () => Buffer.alloc(2 ** 40),
  'buffers joined beyond the longest': () => Buffer.concat([Buffer.alloc(1)], 2 ** 40),
  'calls nested too deeply': nest,
  'a number beyond the longest': () => 1n << (2n ** 40n),
};

for (const [name, what] of Object.entries(refused)) {
  resourceError(`refused as too large: ${name}`, () => {
    assert.is(isResourceError(thrown(what)), true);
  });
}

const mistakes: Readonly<Record<string, () => unknown>> = {
  'bytes that do not fit': () => {
    new Uint8Array(3).set([1, 2, 3, 4]);
  },
  'a read outside of a view': () => new DataView(new ArrayBuffer(3)).getInt32(0),
  'a view that begins behind its memory': () => new Uint8Array(new ArrayBuffer(8), 9),
  'a number with too many digits': () => (1).toFixed(1_000),
  'a value out of range': () => Buffer.alloc(4).writeUInt8(256),
  'a type error': () => (undefined as unknown as { a: number }).a,
  'a broken invariant': () => {
    throw new AssertionError('expected: this');
  },
  "the client's mistake": () => {
    throw new CommandError('ERR no');
  },
};

for (const [name, what] of Object.entries(mistakes)) {
  resourceError(`something else: ${name}`, () => {
    assert.is(isResourceError(thrown(what)), false);
  });
}

resourceError('something else: what is thrown is no error', () => {
  assert.is(isResourceError('Invalid string length'), false);
  assert.is(isResourceError(undefined), false);
});

resourceError.run();
