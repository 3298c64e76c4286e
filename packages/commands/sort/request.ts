/** The options of SORT, and the keys that its patterns name. */

import { type Bytes, CommandError, errors, indexOfByte } from '#base';
import type { Arguments } from '../arguments/arguments.ts';

const STAR = 0x2a;
const HASH = 0x23;
const NO_BYTES: Bytes = new Uint8Array(0);

/** Pattern of what SORT looks up for an element: another key's value, or a field of it, or the element itself. */
export interface Pattern {
  readonly isElement: boolean;
  /** Bytes around the element in the name of the key; undefined without a place for it. */
  readonly around: { readonly before: Bytes; readonly after: Bytes } | undefined;
  /** The field of a hash; undefined for a string. */
  readonly field: Bytes | undefined;
}

/** The pattern of an element itself. */
export const theElement: Pattern = { isElement: true, around: undefined, field: undefined };

export interface SortRequest {
  /** Undefined: the elements stay as they are, or are sorted by themselves. */
  by: Pattern | undefined;
  /** BY names no other keys: nothing is sorted. */
  isUnsorted: boolean;
  readonly gets: Pattern[];
  isDescending: boolean;
  isAlpha: boolean;
  offset: number;
  /** Negative: no limit. */
  count: number;
  /** Index of the argument that names the target; 0 without one. */
  storeIndex: number;
}

/** Parses the arguments of SORT; `mayReadAll` permits reading keys that only values name. Throws a CommandError. */
export function readSort(
  args: Arguments,
  mayStore: boolean,
  mayReadAll: () => boolean = () => true,
): SortRequest {
  const request: SortRequest = {
    by: undefined,
    isUnsorted: false,
    gets: [],
    isDescending: false,
    isAlpha: false,
    offset: 0,
    count: -1,
    storeIndex: 0,
  };
  args.position = 2;
  while (args.more) {
    const isGet = args.left > 1 && args.spellsAt(args.position, 'GET');
    if (!takeOption(args, request, mayStore)) throw errors.syntax;
    if (isGet && !mayReadAll()) throw getDenied;
    if (request.by?.around !== undefined && !mayReadAll()) throw byDenied;
  }
  return request;
}

function takeOption(args: Arguments, request: SortRequest, mayStore: boolean): boolean {
  if (args.takes('ASC')) request.isDescending = false;
  else if (args.takes('DESC')) request.isDescending = true;
  else if (args.takes('ALPHA')) request.isAlpha = true;
  else if (args.left > 2 && args.takes('LIMIT')) {
    request.offset = args.roundedAt(args.next());
    request.count = args.roundedAt(args.next());
  } else if (args.left > 1 && mayStore && args.takes('STORE')) request.storeIndex = args.next();
  else if (args.left > 1 && args.takes('BY')) {
    request.by = patternOf(args.copy(args.next()));
    // A pattern without a place for the element leaves nothing to sort by, once for all.
    request.isUnsorted ||= request.by.around === undefined;
  } else if (args.left > 1 && args.takes('GET'))
    request.gets.push(patternOf(args.copy(args.next())));
  else return false;
  return true;
}

const byDenied = new CommandError(
  'ERR BY option of SORT denied due to insufficient ACL permissions.',
);
const getDenied = new CommandError(
  'ERR GET option of SORT denied due to insufficient ACL permissions.',
);

/** Parses a pattern: the star is replaced by the element, and an arrow after it precedes a field. */
function patternOf(text: Bytes): Pattern {
  const star = indexOfByte(text, STAR, 0, text.length);
  const isElement = text.length === 1 && text[0] === HASH;
  if (star < 0) return { isElement, around: undefined, field: undefined };
  const arrow = Buffer.from(text).indexOf('->', star + 1, 'latin1');
  const hasField = arrow >= 0 && arrow + 2 < text.length;
  const end = hasField ? arrow : text.length;
  return {
    isElement,
    around: { before: text.slice(0, star), after: text.slice(star + 1, end) },
    field: hasField ? text.slice(arrow + 2) : undefined,
  };
}

/** The key that a pattern names for an element. */
export function keyFor({ around }: Pattern, element: Bytes): Bytes {
  if (around === undefined) return NO_BYTES;
  return Buffer.concat([around.before, element, around.after]);
}

/** True when the command reads keys named by elements. */
export function readsOtherKeys({ by, gets, isUnsorted }: SortRequest): boolean {
  const isSortedBy = by?.around !== undefined && !isUnsorted;
  return isSortedBy || gets.some(({ around }) => around !== undefined);
}
