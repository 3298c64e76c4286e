/** Failed logins in the log: at once, at most one line a second, and all of them in the end. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FailedLogins } from './failed-logins.ts';

const failedLogins = suite('failed logins');

const START_MS = 5_000_000;

failedLogins('of a storm the first is told at once, the others after a second', () => {
  const told: unknown[] = [];
  const logins = new FailedLogins({ warn: (_event, _message, fields) => told.push(fields) });
  for (let id = 1; id <= 100; id += 1) logins.add({ id, address: `a:${id}` }, START_MS + id);
  assert.equal(told, [{ count: 1, conn_id: 1, addr: 'a:1' }]);
  logins.tick(START_MS + 999);
  assert.is(told.length, 1);
  logins.tick(START_MS + 1_001);
  assert.equal(told[1], { count: 99, conn_id: 100, addr: 'a:100' });
  logins.tick(START_MS + 10_000);
  assert.is(told.length, 2);
});

failedLogins.run();
