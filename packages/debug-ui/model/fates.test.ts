/** Requests for the fates of a key: every key arrives as it is. */
import { KEY_FATES } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fatesPath, MEANINGS } from './fates.ts';

const fates = suite('fates of keys');

const cases: readonly (readonly [key: string, binary: boolean, sent: string])[] = [
  ['', false, ''],
  ['a&b=c d+%', false, 'a%26b%3Dc%20d%2B%25'],
  ['é', false, '%C3%A9'],
  ['\xff\0A', true, '%ff%00%41'],
  ['x\ud800', false, 'x%EF%BF%BD'],
];
for (const [key, binary, sent] of cases) {
  fates(`a key is sent as ${sent}`, () => {
    const path = fatesPath(5, { key, binary, db: 3 });
    assert.is(path, `/debug/api/key-fates?count=5&key=${sent}&db=3`);
  });
}

fates('all keys are asked for without one', () => {
  assert.is(fatesPath(5, null), '/debug/api/key-fates?count=5');
});

fates('every reason has its words', () => {
  assert.equal(Object.keys(MEANINGS), [...KEY_FATES]);
});

fates.run();
