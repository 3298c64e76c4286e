/**
 * Kinds of values that only Redis has: output buffer limits and keyspace event classes.
 */
import * as v from 'valibot';
import { readable, shortSize, sizeOrNone, ValueError, type Kind } from '../kinds.ts';

/** Points of `save`, each as "seconds changes". */
export const savePoints: Kind<readonly string[]> = {
  allowed: 'an array of strings of seconds and changes, such as ["300 100", "60 10000"]',
  schema: v.pipe(
    v.array(v.string()),
    v.check((points) => points.every((point) => POINT.test(point))),
  ),
  parse: parsePoints,
  format: (value) => value.join(' '),
  toml: (value) => JSON.stringify(value),
};

const POINT = /^[1-9]\d{0,9} \d{1,10}$/;

function parsePoints(text: string): readonly string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const points: string[] = [];
  for (let at = 0; at < words.length; at += 2) points.push(words.slice(at, at + 2).join(' '));
  if (!points.every((point) => POINT.test(point))) throw new ValueError('Invalid save parameters');
  return points;
}

/** Permissions of a file, in the three digits of `chmod`; 0 leaves them as they come. */
export const permissions: Kind<number> = {
  allowed: 'a string of three octal digits such as "700", or "0"',
  schema: readable(parsePermissions),
  parse: parsePermissions,
  format: (value) => value.toString(8),
  toml: (value) => JSON.stringify(value.toString(8)),
};

function parsePermissions(text: string): number {
  if (/^0*[0-7]{1,3}$/.test(text)) return Number.parseInt(text, 8);
  throw new ValueError("argument couldn't be parsed into an octal number");
}

const LIMIT_ERROR = 'Error in hard, soft or soft_seconds setting in buffer limit configuration.';

/** A client's output buffer: hard limit and soft limit in bytes, and seconds above the soft one. */
export const outputLimit: Kind<readonly number[]> = {
  allowed: 'a string of hard limit, soft limit and seconds, such as "32mb 8mb 60"',
  schema: v.pipe(readable(parseLimit), v.length(3)),
  parse: parseLimit,
  format: (value) => value.join(' '),
  toml: ([hard = 0, soft = 0, seconds = 0]) =>
    JSON.stringify(`${shortSize(hard)} ${shortSize(soft)} ${seconds}`),
};

function parseLimit(text: string): readonly number[] {
  const [hard, soft, seconds, ...more] = text.split(' ');
  const hardBytes = sizeOrNone(hard ?? '');
  const softBytes = sizeOrNone(soft ?? '');
  const isWhole = /^\d{1,10}$/.test(seconds ?? '');
  if (hardBytes === undefined || softBytes === undefined || !isWhole || more.length > 0) {
    throw new ValueError(LIMIT_ERROR);
  }
  return [Number(hardBytes), Number(softBytes), Number(seconds)];
}

/** Letters that `A` stands for, in the order in which Redis writes them. */
const ALL_CLASSES = 'g$lshzxetd';
const OTHER_CLASSES = 'nocKEm';

/** The classes of keyspace events that are published; empty for none. */
export const eventClasses: Kind<string> = {
  allowed: 'a string of the letters in "Ag$lshzxeKEtmdnoc"',
  schema: readable(parseClasses),
  parse: parseClasses,
  format: (value) => value,
  toml: (value) => JSON.stringify(value),
};

/** Brings the letters into Redis' order, with `A` for the ten it stands for. */
function parseClasses(text: string): string {
  if (!/^[Ag$lshzxeKEtmdnoc]*$/.test(text)) {
    throw new ValueError("Invalid event class character. Use 'Ag$lshzxeKEtmdnoc'.");
  }
  const letters = text.includes('A') ? text + ALL_CLASSES : text;
  const chosen = (from: string): string =>
    from.replaceAll(/./g, (letter) => (letters.includes(letter) ? letter : ''));
  const hasAll = chosen(ALL_CLASSES) === ALL_CLASSES;
  // Redis writes `n`, `o` and `c` only where it does not write `A`, and so loses them; here they are kept.
  return (hasAll ? 'A' : chosen(ALL_CLASSES)) + chosen(OTHER_CLASSES);
}
