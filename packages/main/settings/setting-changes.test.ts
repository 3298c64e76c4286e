import { Logger, type LogRecord, thresholdIndex } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SettingLog } from './setting-changes.ts';

const changes = suite('changed settings in the log');

changes('a flood of changes costs a few lines, and a count of the rest', () => {
  let nowMs = 1_000;
  const records: LogRecord[] = [];
  const log = new Logger(
    'main',
    () => nowMs,
    () => thresholdIndex('info'),
    (record) => records.push(record),
  );
  const settingLog = new SettingLog({ log, nowMs: () => nowMs });
  for (let nth = 0; nth < 1_000; nth += 1) {
    const change = { from: String(nth), to: String(nth + 1) } as const;
    settingLog.changed([{ name: 'server.timeout-secs', ...change }], { conn_id: 7 });
    settingLog.tick(nowMs);
  }
  assert.is(records.length, 20);
  assert.equal(records[19]!.fields, {
    name: 'server.timeout-secs',
    from: '19',
    to: '20',
    conn_id: 7,
  });
  nowMs += 10_000;
  settingLog.tick(nowMs);
  settingLog.tick(nowMs);
  assert.equal(
    records.slice(20).map(({ event, fields }) => [event, fields]),
    [['settings-changed', { count: 980 }]],
  );
});

changes.run();
