/**
 * Equivalence of two replies whose bytes differ: what Redis leaves open, by command.
 */
import { shown, type Piece } from './wire.ts';

/** The replies of both servers to one command. */
export interface Both {
  readonly ours: Piece;
  readonly theirs: Piece;
}

/** Context in which a reply is judged. */
interface Asked {
  readonly words: readonly string[];
  /** Replies to the command before it in the same step. */
  readonly before: Both | undefined;
}

/** True when two replies are equivalent. */
export type Form = (both: Both, asked: Asked) => boolean;

/** Seconds by which a moment may differ: the servers run a command at different times. */
const TOLERANCE_SECONDS = 15;

const exact: Form = ({ ours, theirs }) => shown(ours) === shown(theirs);

/** Items in any order. */
const unordered: Form = same((reply) => items(reply).map(shown).sort());

/** Equal texts in any order. */
const shuffled: Form = ({ ours, theirs }) =>
  texts(ours).sort().join('\n') === texts(theirs).sort().join('\n');

/** Keys and values in any order of the keys. */
const pairs: Form = same((reply) => pairsOf(reply).sort());

/** A cursor, and items in any order. */
const page: Form = same((reply) => [
  shown(part(reply, 0)),
  ...items(part(reply, 1)).map(shown).sort(),
]);

const pageOfPairs: Form = same((reply) => [
  shown(part(reply, 0)),
  ...pairsOf(part(reply, 1)).sort(),
]);

/** HSCAN has an option by which its pages are of fields alone. */
function pageForm({ words }: Asked): Form {
  return words.some((word) => word.toUpperCase() === 'NOVALUES') ? page : pageOfPairs;
}

/** Numbers, or arrays of numbers, that may differ by so much; below zero they say something else. */
function near(tolerance: number): Form {
  const isNear = (ours: Piece, theirs: Piece): boolean => {
    if (ours.kind !== theirs.kind) return false;
    if (ours.items !== undefined && theirs.items !== undefined) {
      const others = theirs.items;
      return (
        ours.items.length === others.length &&
        ours.items.every((item, index) => isNear(item, others[index]!))
      );
    }
    if (ours.text === theirs.text) return true;
    const numbers = [Number(ours.text), Number(theirs.text)] as const;
    return Math.min(...numbers) >= 0 && Math.abs(numbers[0] - numbers[1]) <= tolerance;
  };
  return ({ ours, theirs }) => isNear(ours, theirs);
}

/**
 * Drawn by chance from what the command before answered: as many on both sides, of the same shape,
 * and on each side only what was there to be drawn.
 */
const drawn: Form = ({ ours, theirs }, { words, before }) => {
  if (before === undefined || !sameShape(ours, theirs)) return false;
  const isDistinct = words[0]!.toUpperCase() === 'SPOP' || Number(words[2]) > 0;
  if (isDistinct && hasTwice(ours, words.length > 3)) return false;
  return isDrawn(ours, before.ours) && isDrawn(theirs, before.theirs);
};

/** True when texts agree but for the last digits of their numbers: see the known differences. */
const roughly: Form = ({ ours, theirs }) => {
  const [one, other] = [items(ours), items(theirs)];
  return (
    one.length === other.length &&
    one.every(({ text }, index) => {
      const otherText = other[index]!.text;
      return (
        text === otherText || Number(text).toPrecision(12) === Number(otherText).toPrecision(12)
      );
    })
  );
};

/** Fields with times, or with internals of a stream. */
const OF_THE_MOMENT = /^(idle|inactive|seen-time|active-time|radix-tree-(keys|nodes))$/;
/** Fields that Redis 7.4 does not have, with their values. */
const NEWER =
  /^(idmp-(duration|maxsize)|pids-tracked|iids-(tracked|added|duplicates)|nacked-count)$/;
/** A moment in milliseconds. */
const MOMENT_MIN = 1e12;

/** Compares replies about streams, without times and newer fields. */
const timeless: Form = same((reply) => timelessTexts(reply));

/** XPENDING's entries: the third of their four fields is how long they have been idle. */
const pending: Form = same((reply) =>
  items(reply).map((entry) =>
    items(entry).length === 4
      ? [0, 1, 3].map((index) => shown(part(entry, index))).join(' ')
      : shown(entry),
  ),
);

function timelessTexts(reply: Piece): string[] {
  const found: string[] = [];
  for (const [index, item] of items(reply).entries()) {
    const name = items(reply)[index - 1]?.text ?? '';
    if (NEWER.test(item.text) || NEWER.test(name)) continue;
    if (item.items !== undefined) found.push('[', ...timelessTexts(item), ']');
    else if (OF_THE_MOMENT.test(name) || Number(item.text) >= MOMENT_MIN) found.push('-');
    else found.push(shown(item));
  }
  return found;
}

const byName: Readonly<Record<string, Form>> = {
  ...all(unordered, 'SMEMBERS', 'SINTER', 'SUNION', 'SDIFF', 'HKEYS', 'HVALS', 'KEYS'),
  ...all(pairs, 'HGETALL'),
  ...all(page, 'SSCAN', 'SCAN'),
  ...all((both, asked) => pageForm(asked)(both, asked), 'HSCAN', 'ZSCAN'),
  ...all(near(TOLERANCE_SECONDS), 'TTL', 'EXPIRETIME', 'HTTL', 'HEXPIRETIME'),
  ...all(near(TOLERANCE_SECONDS * 1000), 'PTTL', 'PEXPIRETIME', 'HPTTL', 'HPEXPIRETIME'),
  ...all(timeless, 'XINFO'),
  ...all(pending, 'XPENDING'),
  ...all(drawn, 'SPOP', 'SRANDMEMBER', 'HRANDFIELD', 'ZRANDMEMBER', 'RANDOMKEY'),
};

/** Forms that a step may name if the command's name does not determine one. */
export const forms = { exact, roughly, shuffled, unordered } as const;

/** Returns the form that replies to a command must agree in, unless its step names another. */
export function formOf(name: string): Form {
  return byName[name.toUpperCase()] ?? exact;
}

function all(form: Form, ...names: string[]): Record<string, Form> {
  return Object.fromEntries(names.map((name) => [name, form]));
}

function same(canonical: (reply: Piece) => readonly string[]): Form {
  return ({ ours, theirs }) => {
    if (ours.kind !== theirs.kind || ours.items === undefined || theirs.items === undefined) {
      return shown(ours) === shown(theirs);
    }
    const [one, other] = [canonical(ours), canonical(theirs)];
    return one.length === other.length && one.every((text, index) => text === other[index]);
  };
}

function items(reply: Piece): readonly Piece[] {
  return reply.items ?? [];
}

function part(reply: Piece, index: number): Piece {
  return items(reply)[index] ?? { kind: '', text: '', items: undefined };
}

/** Pairs side by side, or each in an array of its own as RESP3 has some. */
function pairsOf(reply: Piece): string[] {
  const flat = items(reply);
  if (flat[0]?.items !== undefined) return flat.map(shown);
  const found: string[] = [];
  for (let index = 0; index < flat.length; index += 2) {
    found.push(
      flat
        .slice(index, index + 2)
        .map(shown)
        .join(' '),
    );
  }
  return found;
}

function sameShape(ours: Piece, theirs: Piece): boolean {
  if (ours.kind !== theirs.kind || items(ours).length !== items(theirs).length) return false;
  if (ours.items === undefined) return true;
  return ours.items.every((item, index) => item.kind === items(theirs)[index]!.kind);
}

function isDrawn(reply: Piece, from: Piece): boolean {
  const known = new Set(texts(from));
  const isNull = ['_', '$-1', '*-1'].includes(reply.kind);
  return isNull || texts(reply).every((text) => known.has(text));
}

function hasTwice(reply: Piece, isOfPairs: boolean): boolean {
  const found = isOfPairs ? pairsOf(reply) : items(reply).map(shown);
  return new Set(found).size < found.length;
}

function texts({ text, items: inner }: Piece): string[] {
  return inner === undefined ? [text] : inner.flatMap(texts);
}
