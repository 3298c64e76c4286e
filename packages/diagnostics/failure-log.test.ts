/** Failures in the log: at once, at most one line a second, and all of them in the end. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FailureLog } from './failure-log.ts';

const failureLog = suite('failures in the log');

const START_MS = 5_000_000;

failureLog('of a storm the first is told at once, the others after a second', () => {
  const reported: unknown[] = [];
  const failures = new FailureLog((fields) => reported.push(fields));
  for (let id = 1; id <= 100; id += 1) failures.add({ conn_id: id }, START_MS + id);
  assert.equal(reported, [{ count: 1, conn_id: 1 }]);
  failures.tick(START_MS + 999);
  assert.is(reported.length, 1);
  failures.tick(START_MS + 1_001);
  assert.equal(reported[1], { count: 99, conn_id: 100 });
  failures.tick(START_MS + 10_000);
  assert.is(reported.length, 2);
});

failureLog.run();
