import { ERROR_CODES } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { areErrorsTooMany, countError, errorCounts, errorIndex } from './error-count.ts';
import { ERROR_TYPES_MAX } from './made-up-errors.ts';
import { Page } from './page.ts';

const counting = suite('errors by code');

const shape = { databases: 1, commands: 1, errorCodes: ERROR_CODES.length };
/** Two views of one page, as threads have them. */
function pageAndReader(): readonly [page: Page, reader: Page] {
  const memory = new SharedArrayBuffer(Page.bytes(shape));
  return [new Page(shape, memory), new Page(shape, memory)];
}

counting('codes of all pages are added up, those that scripts make up too', () => {
  const [one, oneRead] = pageAndReader();
  const [two, twoRead] = pageAndReader();
  countError(one, 'WRONGTYPE of a key');
  countError(one, 'MYERR one');
  countError(one, 'MYERR another');
  countError(two, 'MYERR there');
  countError(two, 'ABC x');
  assert.equal(errorCounts([oneRead, twoRead]), [
    ['WRONGTYPE', 1],
    ['ABC', 1],
    ['MYERR', 3],
  ]);
  assert.is(one.get('errors') + two.get('errors'), 5);
  assert.is(errorIndex('MYERR x'), -1);
});

counting('an error whose first word is none that a code can be is ERR', () => {
  const [page, reader] = pageAndReader();
  for (const text of ['NOBLANK', ' begins with one', `${'x'.repeat(32)} long`]) {
    countError(page, text);
  }
  assert.equal(errorCounts([reader]), [['ERR', 3]]);
  countError(page, `${'x'.repeat(31)} as long as can be`);
  assert.equal(errorCounts([reader])[1], ['x'.repeat(31), 1]);
});

counting('a code has no byte that lines and labels cannot have', () => {
  const [page, reader] = pageAndReader();
  countError(page, 'A:B#\n"\\\u00e9 x');
  assert.equal(errorCounts([reader]), [['A_B_____', 1]]);
});

counting('beyond as many codes as Redis tells there is one line in their place', () => {
  const [page, reader] = pageAndReader();
  for (let index = 0; index < ERROR_TYPES_MAX; index += 1) countError(page, `MINE${index} x`);
  assert.is(errorCounts([reader]).length, ERROR_TYPES_MAX);
  assert.not(areErrorsTooMany([reader]));
  countError(page, 'ERR of the server');
  countError(page, 'MORE x');
  assert.ok(areErrorsTooMany([reader]));
  countError(page, 'ERR of the server');
  assert.equal(errorCounts([reader]), [
    ['ERR', 2],
    ['ERRORSTATS_DISABLED', 1],
  ]);
  page.resetStatistics();
  assert.equal(errorCounts([reader]), []);
  countError(page, 'MORE x');
  assert.equal(errorCounts([reader]), [['MORE', 1]]);
});

counting('codes of several pages are too many together', () => {
  const pages = [pageAndReader(), pageAndReader()];
  for (const [index, [page]] of pages.entries()) {
    for (let code = 0; code < 65; code += 1) countError(page, `MINE${index}-${code} x`);
  }
  assert.equal(errorCounts(pages.map(([, reader]) => reader)), [['ERRORSTATS_DISABLED', 1]]);
});

counting.run();
