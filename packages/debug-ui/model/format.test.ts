import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  age,
  bytes,
  clockTime,
  count,
  dateTime,
  micros,
  NONE,
  percent,
  rate,
  setUtc,
  whole,
} from './format.ts';

const format = suite('formats of the debug pages');

const cases: readonly (readonly [what: string, shown: string, wanted: string])[] = [
  ['no bytes', bytes(0), '0 B'],
  ['bytes', bytes(1_000), '1000 B'],
  ['nearly a step', bytes(1_023.9), '1.00 KiB'],
  ['kibibytes', bytes(1_536), '1.50 KiB'],
  ['mebibytes', bytes(10 * 1_048_576 + 500_000), '10.5 MiB'],
  ['more than there are units for', bytes(2 ** 60), '1024 PiB'],
  ['a count', count(999), '999'],
  ['a large count', count(1_500), '1.50 k'],
  ['a larger count', count(12_345_678), '12.3 M'],
  ['what rounds to a step', count(999_999), '1.00 M'],
  ['a rate', rate(2_000), '2 k/s'],
  ['a small rate', rate(0.5), '0.50/s'],
  ['digits', whole(1_234_567), '1,234,567'],
  ['microseconds', micros(850), '850 µs'],
  ['few microseconds', micros(1.25), '1.25 µs'],
  ['milliseconds', micros(1_500), '1.50 ms'],
  ['what rounds to a second', micros(999_900), '1.00 s'],
  ['minutes', micros(200_000_000), '3m 20s'],
  ['seconds', age(45), '45s'],
  ['hours', age(7_500), '2h 5m'],
  ['days', age(4 * 86_400 + 3 * 3_600), '4d 3h'],
  ['a negative age', age(-3), '0s'],
  ['a share', percent(12.34), '12.3 %'],
  ['all of it', percent(99.99), '100 %'],
  ['nothing of it', percent(0), '0 %'],
];
for (const [what, shown, wanted] of cases) format(what, () => assert.is(shown, wanted));

format('shows a dash for what is not known', () => {
  for (const show of [bytes, count, rate, whole, micros, age, percent, clockTime]) {
    for (const value of [null, undefined, NaN, Infinity]) assert.is(show(value), NONE);
  }
});

format('shows times in the zone of the reader, or in UTC', () => {
  const unixMs = Date.UTC(2026, 0, 31, 23, 5, 9);
  const local = new Date(unixMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  assert.is(
    dateTime(unixMs),
    `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())} ` +
      [local.getHours(), local.getMinutes(), local.getSeconds()].map(two).join(':'),
  );
  setUtc(true);
  assert.is(dateTime(unixMs), '2026-01-31 23:05:09');
  setUtc(false);
});

format.run();
