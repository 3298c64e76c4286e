import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandPlaces, namedIn } from './failed-command.ts';

const commands = suite('commands that failed');

commands('are named by their first words, whole or cut off', () => {
  const named = (text: string): string => {
    const { command, key } = namedIn(Buffer.from(text));
    return `${command}|${key}`;
  };
  assert.is(named('*3\r\n$3\r\nSET\r\n$3\r\na b\r\n$1\r\nv\r\n*1'), 'SET|a b');
  assert.is(named('*1\r\n$4\r\nEXEC\r\n'), 'EXEC|');
  assert.is(named('*3\r\n$3\r\nSET\r\n$900\r\nabc'), 'SET|abc');
  assert.is(named('*3\r\n$3\r\nSET\r\n$2'), 'SET|');
  assert.is(named('NOSUCH key\r\nSET a b\r\n'), 'NOSUCH|key');
  assert.is(named('*2\r\n$3\r\nDEL\r\n$2\r\n\n\x1b\r\n'), 'DEL|??');
  assert.is(named(''), '|');
});

commands('are found by the place of their error, those of a transaction too', () => {
  const places = new CommandPlaces();
  for (let nth = 0; nth < 10; nth += 1) {
    // One that must wait is noted again.
    places.note(0);
    places.note(100 + nth);
    places.taken();
  }
  assert.is(places.of({ nth: 3, left: 0 }), 103);
  assert.is(places.of({ nth: 8, left: 2 }), 106);
  for (let nth = 10; nth < 5_000; nth += 1) {
    places.note(100 + nth);
    places.taken();
  }
  assert.is(places.of({ nth: 3, left: 0 }), undefined);
  assert.is(places.of({ nth: 4_999, left: 0 }), 5_099);
  assert.is(places.of({ nth: 2, left: 3 }), undefined);
});

commands.run();
