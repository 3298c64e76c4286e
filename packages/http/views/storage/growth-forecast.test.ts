import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GrowthForecast } from './growth-forecast.ts';

const forecasts = suite('forecast of used memory');

/** A reading every ten seconds. */
function of(bytes: readonly number[]): GrowthForecast {
  const growth = new GrowthForecast();
  bytes.forEach((each, nth) => growth.add(10_000 * nth, each));
  return growth;
}

const rising = (count: number) => Array.from({ length: count }, (_, nth) => 1_000 + 50 * nth);

forecasts('there is none before a minute was measured', () => {
  assert.is(of([]).forecast(10_000), null);
  assert.is(of(rising(6)).forecast(10_000), null);
});

forecasts('a growing memory is full when the line meets the limit', () => {
  // 5 bytes a second, 1,300 bytes after 60 s.
  assert.equal(of(rising(7)).forecast(2_300), {
    seconds: 60,
    bytes_per_sec: 5,
    full_time_ms: 60_000 + 200_000,
  });
});

forecasts('without growth, without a limit, and with mere noise it is never full', () => {
  assert.is(of(rising(7).reverse()).forecast(2_000)!.full_time_ms, null);
  assert.is(of(rising(7)).forecast(0)!.full_time_ms, null);
  assert.is(of([0, 900, 0, 900, 0, 900, 1, 899]).forecast(2_000)!.full_time_ms, null);
  assert.equal(of([5, 5, 5, 5, 5, 5, 5]).forecast(10), {
    seconds: 60,
    bytes_per_sec: 0,
    full_time_ms: null,
  });
});

forecasts('memory over the limit is full now', () => {
  assert.is(of(rising(7)).forecast(1_100)!.full_time_ms, 60_000);
});

forecasts.run();
