import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Logger, LOG_LEVELS, LOG_THRESHOLDS, thresholdIndex } from './log.ts';

const log = suite('log');

log("Redis' words stand for levels", () => {
  for (const level of LOG_LEVELS) assert.is(thresholdIndex(level), LOG_LEVELS.indexOf(level));
  assert.is(thresholdIndex('verbose'), thresholdIndex('debug'));
  assert.is(thresholdIndex('notice'), thresholdIndex('info'));
  assert.is(thresholdIndex('warning'), thresholdIndex('warn'));
  for (const word of LOG_THRESHOLDS) assert.ok(thresholdIndex(word) >= 0, word);
});

log('nothing lets no line through', () => {
  const lines: string[] = [];
  const logger = new Logger(
    'main',
    () => 0,
    () => thresholdIndex('nothing'),
    ({ message }) => lines.push(message),
  );
  logger.error('event', 'lost');
  assert.equal(lines, []);
});

log.run();
