/** Texts about a document that is late, missing, refused or not asked for. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asOf, badgeOf, freshnessOf, placeholderOf, worstOf, type Reading } from './freshness.ts';

const freshness = suite('freshness');

const fresh: Reading<number> = {
  data: 1,
  answeredMs: new Date(2026, 10, 23, 9, 5, 7).getTime(),
  failure: null,
  isOverdue: false,
  isPaused: false,
};
const never = { ...fresh, data: null, answeredMs: null };
const refused = { kind: 'refused', message: 'the main thread did not reply in time' } as const;
const gone = { kind: 'unreachable', message: 'the server cannot be reached' } as const;

freshness('nothing is said while all is well', () => {
  assert.is(freshnessOf(fresh), 'fresh');
  assert.is(badgeOf('fresh'), '');
});

freshness('what is overdue is stale before the request has failed', () => {
  assert.is(freshnessOf({ ...fresh, isOverdue: true }), 'stale');
  assert.is(asOf(fresh), 'as of 09:05:07');
});

freshness('a pause explains why nothing is new, whatever went wrong before', () => {
  assert.is(freshnessOf({ ...fresh, isPaused: true, failure: gone }), 'paused');
  assert.is(placeholderOf({ ...never, isPaused: true }), 'Paused: not requested yet.');
});

freshness('what was never answered says why', () => {
  assert.is(placeholderOf(never), 'Loading…');
  assert.is(placeholderOf({ ...never, isOverdue: true }), 'No reply from the server yet.');
  assert.is(
    placeholderOf({ ...never, failure: refused }),
    'The main thread did not reply in time.',
  );
  assert.is(asOf(never), '');
});

freshness('of several the one is told that is to be believed least', () => {
  const late = { ...fresh, isOverdue: true };
  assert.is(worstOf([fresh, late, fresh]), late);
  assert.is(worstOf([late, never]), never);
  const failed = { ...never, failure: gone };
  assert.is(worstOf([never, failed]), failed);
});

freshness.run();
