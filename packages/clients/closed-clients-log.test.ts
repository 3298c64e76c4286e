import { Logger, type LogRecord, thresholdIndex } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClosedClientsLog } from './closed-clients-log.ts';

const closed = suite('log of closed clients');

function logTo(records: LogRecord[]): ClosedClientsLog {
  const logger = new Logger(
    'main',
    () => 0,
    () => thresholdIndex('info'),
    (record) => records.push(record),
  );
  return new ClosedClientsLog(logger);
}

closed('a flood of refused connections is one line, and one with the counts of the rest', () => {
  const records: LogRecord[] = [];
  const log = logTo(records);
  for (let nth = 0; nth < 1_000; nth += 1) {
    const reason = nth % 4 === 0 ? 'protected_mode' : 'max_clients';
    log.refused(reason, `10.0.0.1:${String(nth)}`, 50, 1_000 + nth);
    log.tick(1_000 + nth);
  }
  assert.equal(
    records.map(({ event, fields }) => [event, fields]),
    [
      [
        'connections-refused',
        { count: 1, connected: 50, addr: '10.0.0.1:0', max_clients: 0, protected_mode: 1 },
      ],
    ],
  );
  log.tick(6_000);
  log.tick(60_000);
  assert.equal(
    records.slice(1).map(({ fields }) => fields),
    [{ count: 999, connected: 50, addr: '10.0.0.1:999', max_clients: 750, protected_mode: 249 }],
  );
});

closed.run();
