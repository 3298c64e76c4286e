import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeKeyEvents, KeyEventFlag, KeyEventWriter, NO_ORIGIN } from './key-events.ts';

const events = suite('key events');

events('come out as they went in, in their order', () => {
  const writer = new KeyEventWriter();
  assert.ok(writer.isEmpty);
  const long = Buffer.alloc(5_000, 9);
  const origin = { connection: 7, sequence: 0xffff_fff0, step: 3 };
  writer.add(KeyEventFlag.keyevent, 3, origin, 'set', Buffer.from('key'));
  writer.add(KeyEventFlag.modified, 65_535, NO_ORIGIN, 'expired', long);
  writer.add(KeyEventFlag.flushed, 0, NO_ORIGIN, '', Buffer.alloc(0));
  const read = [...decodeKeyEvents(writer.take().slice())];
  assert.equal(
    read.map(({ key, ...rest }) => ({ ...rest, key: Buffer.from(key).toString('latin1') })),
    [
      { flags: 2, database: 3, ...origin, name: 'set', key: 'key' },
      { flags: 4, database: 65_535, ...NO_ORIGIN, name: 'expired', key: long.toString('latin1') },
      { flags: 8, database: 0, ...NO_ORIGIN, name: '', key: '' },
    ],
  );
  assert.ok(writer.isEmpty);
});

events('their flags are frozen', () => {
  assert.equal(KeyEventFlag, { keyspace: 1, keyevent: 2, modified: 4, flushed: 8 });
});

events('what is cut short is our mistake', () => {
  const writer = new KeyEventWriter();
  writer.add(KeyEventFlag.keyevent, 0, NO_ORIGIN, 'set', Buffer.from('key'));
  const whole = writer.take().slice();
  assert.throws(() => [...decodeKeyEvents(whole.subarray(0, whole.length - 1))]);
});

events.run();
