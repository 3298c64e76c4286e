import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { columnsOf } from './live-samples.ts';

const samples = suite('samples of the live document');

samples('stand as a list for each figure, however deep', () => {
  assert.equal(columnsOf([{ a: 1, b: [2, null] }, null, { a: 3, b: [4, null] }]), {
    a: [1, null, 3],
    b: [[2, null, 4], null],
  });
});

samples('are null where none has the figure', () => {
  assert.is(columnsOf([null, null]), null);
  assert.is(columnsOf([]), null);
});

samples.run();
