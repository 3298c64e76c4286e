import { call, CallContext } from '../call.test-helper.ts';
import { setOptions, Span, ValueType } from '#store';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const wrongType = suite('wrong-type');

/** A key that holds a list, which may be any other type. */
function contextWithList(): CallContext {
  const context = new CallContext();
  const name = Buffer.from('list');
  context.keyspace.set(
    new Span(name),
    new Span(name),
    setOptions({ type: ValueType.list, encoding: 3 }),
  );
  return context;
}

const refused = [
  'GET list',
  'SET list x GET',
  'SET list x IFEQ x',
  'SET list x IFNE x',
  'SET list x IFDNE 1',
  'DIGEST list',
  'DELIFEQ list x',
  'INCREX list',
  'INCREX list BYFLOAT 1.5',
  'GETSET list x',
  'GETDEL list',
  'GETEX list',
  'GETEX list EX 0',
  'STRLEN list',
  'GETRANGE list 0 1',
  'SUBSTR list 0 1',
  'SETRANGE list 0 x',
  'SETRANGE list 0 ""',
  'APPEND list x',
  'INCR list',
  'DECRBY list 5',
  'INCRBY list 9223372036854775807',
  'INCRBYFLOAT list x',
];

for (const line of refused) {
  wrongType(`${line} is refused`, () => {
    const context = contextWithList();
    assert.is(
      call(context, line),
      '-WRONGTYPE Operation against a key holding the wrong kind of value',
    );
    assert.is(call(context, 'TYPE list'), 'list');
    assert.equal(context.takeAnnounced(), []);
  });
}

wrongType('syntax and numbers are judged first', () => {
  const context = contextWithList();
  assert.is(call(context, 'SET list x GET FOO'), '-ERR syntax error');
  assert.is(call(context, 'INCRBY list x'), '-ERR value is not an integer or out of range');
  assert.is(call(context, 'SETRANGE list -1 x'), '-ERR offset is out of range');
  assert.is(call(context, 'GETEX list FOO'), '-ERR syntax error');
});

wrongType('MGET answers null, SET overwrites', () => {
  const context = contextWithList();
  assert.equal(call(context, 'MGET list'), [null]);
  assert.is(call(context, 'SETNX list x'), 0);
  assert.is(call(context, 'MSETNX a 1 list x'), 0);
  assert.is(call(context, 'SET list x'), 'OK');
  assert.is(call(context, 'TYPE list'), 'string');
});

wrongType('commands on keys move every type as it is', () => {
  const context = contextWithList();
  for (const line of ['EXPIRE list 100', 'COPY list copy', 'RENAME list moved', 'MOVE moved 1']) {
    call(context, line);
  }
  assert.is(call(context, 'TYPE copy'), 'list');
  context.database = 1;
  assert.is(call(context, 'TYPE moved'), 'list');
  assert.is(call(context, 'TTL moved'), 100);
  const name = Buffer.from('moved');
  assert.is(context.keyspace.encoding(context.keyspace.peek(name, 0, 5)), 3);
  assert.equal(call(context, 'SCAN 0 TYPE list'), ['0', ['moved']]);
  assert.equal(call(context, 'SCAN 0 TYPE string'), ['0', []]);
});

wrongType.run();
