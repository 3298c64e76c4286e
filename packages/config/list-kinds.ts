/**
 * The kinds of values that are lists.
 */
import * as v from 'valibot';
import { isInteger, numberOrNone, tomlFloat, ValueError, type Kind } from './kinds.ts';

/** Words separated by spaces; in TOML a string or an array of strings. */
export function words(countMost: number): Kind<readonly string[]> {
  const isFew = (list: string[]): boolean => list.length <= countMost;
  return {
    allowed: `a string, or an array of at most ${countMost} strings`,
    schema: v.union([
      v.pipe(v.string(), v.transform(split), v.check(isFew)),
      v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.check(isFew)),
    ]),
    parse(value) {
      const list = split(value);
      if (!isFew(list)) throw new ValueError(`at most ${countMost} are allowed`);
      return list;
    },
    format: (value) => value.join(' '),
    toml: (value) => (value.length === 1 ? JSON.stringify(value[0]) : JSON.stringify(value)),
  };
}

/** Words of a closed list, in the list's order. */
export function chosenWords(...allowed: string[]): Kind<readonly string[]> {
  const kind = words(allowed.length);
  const lowerOf = (list: readonly string[]): string[] => list.map((word) => word.toLowerCase());
  const known = (list: readonly string[]): string[] =>
    allowed.filter((each) => lowerOf(list).includes(each.toLowerCase()));
  const areKnown = (list: readonly string[]): boolean =>
    new Set(lowerOf(list)).size === known(list).length;
  return {
    ...kind,
    allowed: `a string or an array of ${allowed.join(', ')}`,
    schema: v.pipe(kind.schema, v.check(areKnown), v.transform(known)),
    parse(value) {
      const list = split(value);
      if (areKnown(list)) return known(list);
      throw new ValueError(`argument(s) must be of the following: ${allowed.join(', ')}`);
    },
  };
}

/** Different words without spaces, separated by those in text; in TOML an array of strings. */
export function distinctWords(countMost: number, bytesMost: number): Kind<readonly string[]> {
  return checkedWords(
    `at most ${countMost} different words of at most ${bytesMost} bytes`,
    (list) =>
      list.length <= countMost &&
      new Set(list).size === list.length &&
      list.every((word) => /^[^\s\p{Cc}]+$/u.test(word) && Buffer.byteLength(word) <= bytesMost),
  );
}

/** Names of hosts; `*.` with a name after it stands for all that are below that. */
export function hostNames(countMost: number): Kind<readonly string[]> {
  const pattern = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;
  return checkedWords(
    `at most ${countMost} names of hosts without a port, or *. followed by a name`,
    (list) => list.length <= countMost && list.every((name) => pattern.test(name)),
  );
}

function checkedWords(
  allowed: string,
  isGood: (list: string[]) => boolean,
): Kind<readonly string[]> {
  return {
    allowed: `an array of ${allowed}`,
    schema: v.pipe(v.array(v.string()), v.check(isGood)),
    parse(value) {
      const list = split(value);
      if (!isGood(list)) throw new ValueError(`argument must be ${allowed}`);
      return list;
    },
    format: (value) => value.join(' '),
    toml: (value) => JSON.stringify(value),
  };
}

/** Rising whole numbers; in text separated by spaces or commas. */
export function risingIntegers(
  least: number,
  most: number,
  countMost: number,
): Kind<readonly number[]> {
  const allowed = `an array of at most ${countMost} rising integers from ${least} to ${most}`;
  const isGood = (list: number[]): boolean =>
    list.length > 0 &&
    list.length <= countMost &&
    list.every((value, index) => index === 0 || value > list[index - 1]!);
  const schema = v.pipe(
    v.array(v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))),
    v.check(isGood),
  );
  return {
    allowed,
    schema,
    parse(value) {
      const list = value.split(/[\s,]+/).filter((part) => part !== '');
      const judged = v.safeParse(
        schema,
        list.map((part) => (isInteger(part) ? Number(part) : part)),
      );
      if (!judged.success) throw new ValueError(`argument must be ${allowed}`);
      return judged.output;
    },
    format: (value) => value.join(' '),
    toml: (value) => `[${value.join(', ')}]`,
  };
}

/** Numbers with fractions, none at all included; in text separated by spaces. */
export function floats(name: string, least: number, most: number): Kind<readonly number[]> {
  const bound = (value: number): string => value.toFixed(1);
  return {
    allowed: `an array of numbers from ${least} to ${most}`,
    schema: v.array(v.pipe(v.number(), v.minValue(least), v.maxValue(most))),
    parse(value) {
      const list = value === '' ? [] : value.split(' ').map(numberOrNone);
      return list.map((item) => {
        if (item === undefined) throw new ValueError(`Invalid ${name} parameters`);
        if (item >= least && item <= most) return item;
        const range = `[${bound(least)},${bound(most)}]`;
        throw new ValueError(`${name} parameters should sit between ${range}`);
      });
    },
    format: (value) => value.join(' '),
    toml: (value) => `[${value.map(tomlFloat).join(', ')}]`,
  };
}

function split(value: string): string[] {
  return value.split(/\s+/).filter((word) => word !== '');
}
