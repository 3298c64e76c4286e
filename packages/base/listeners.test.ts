import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Listeners } from './listeners.ts';

const listeners = suite('listeners');

listeners('are called in the order in which they were added, until they are removed', () => {
  const list = new Listeners<[number]>();
  const heard: string[] = [];
  const remove = list.add((value) => heard.push(`a${value}`));
  list.add((value) => heard.push(`b${value}`));
  list.notify(1);
  remove();
  list.notify(2);
  assert.equal(heard, ['a1', 'b1', 'b2']);
});

listeners.run();
