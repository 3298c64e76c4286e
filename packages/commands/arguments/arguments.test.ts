/** Arguments of one command after another, read in place. */

import { keySlot } from '#base';
import { pointedAt } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Arguments } from './arguments.ts';

const reading = suite('arguments');

reading('the slot of the first key is that of the command at hand', () => {
  const args = new Arguments();
  for (const key of ['a', '{a}b', 'another-key-of-some-length', 'a']) {
    pointedAt(args, `GET ${key}`);
    const slot = keySlot(Buffer.from(key), 0, key.length);
    assert.equal([args.firstKeySlot, args.firstKeySlot], [slot, slot]);
    assert.is(args.tail(0).firstKeySlot, slot);
  }
});

reading.run();
