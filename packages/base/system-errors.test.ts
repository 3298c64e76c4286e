/** Numbers of errors that messages name. */
import { constants } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errnoIn } from './system-errors.ts';

const numbers = suite('numbers of system errors');

numbers('are found by the code in a message', () => {
  assert.is(errnoIn('ENOSPC: no space left on device, write'), constants.errno.ENOSPC);
  assert.is(errnoIn('cannot open /data/log (EROFS)'), constants.errno.EROFS);
  assert.is(errnoIn('the disk thread ended'), 0);
  assert.is(errnoIn('ENOTHING: of no system'), 0);
});

numbers.run();
