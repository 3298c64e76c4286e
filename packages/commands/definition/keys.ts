/**
 * Positions of the keys of a command. The only place that knows them: routing, splitting, COMMAND GETKEYS, ACL checks
 * and hot-key sampling all ask here.
 */

import type { ArgumentSource } from '../arguments/arguments.ts';

/** Access of a command to the keys of a spec, in COMMAND's words. */
type KeyAccess = 'RO' | 'RW' | 'OW' | 'RM';
/** Use that a command makes of the values of a spec's keys. */
type KeyUse = 'access' | 'insert' | 'update' | 'delete';

/** Handling of the keys of a spec by one call. */
export interface KeyHandling {
  access: KeyAccess;
  use?: readonly KeyUse[];
}

export interface KeySpec extends KeyHandling {
  /** Start of the search: at an argument's index, or behind a keyword. */
  begin: { index: number } | { keyword: string; startFrom: number } | 'unknown';
  /**
   * Keys from there on: up to `last` (relative to the first; negative: from the end) by `step`, within 1/`limit` of the
   * arguments; or as many as argument `countAt` says (this and `firstKey` are relative to begin).
   */
  find:
    | { last: number; step: number; limit: number }
    | { countAt: number; firstKey: number; step: number }
    | 'unknown';
  /** True when what is found is no key, but is routed like one (a shard channel). */
  notKey?: boolean;
  /** True when the spec may miss keys: `find` of the command returns all of them. */
  isIncomplete?: true;
  /** The key is changed although its access is RO, which in Redis is about the value's data alone. */
  altersState?: boolean;
  /** The access depends on other arguments: returns what it is for these. */
  variable?: (args: ArgumentSource) => KeyHandling;
  /** Redis' note on the spec, in our words. */
  notes?: string;
}

export interface FoundKey {
  /** Index of the argument. */
  index: number;
  spec: KeySpec;
}

/** Rules by which the keys of one command are found. */
export interface Keys {
  specs: readonly KeySpec[];
  /** Finds keys that no spec can describe (SORT, ...). Returns undefined when the arguments are invalid. */
  find?: (args: ArgumentSource, specs: readonly KeySpec[]) => readonly FoundKey[] | undefined;
}

type Uses = KeyUse | readonly KeyUse[];

export const noKeys: Keys = { specs: [] };

function range(
  index: number,
  last: number,
  step: number,
  limit = 0,
): Pick<KeySpec, 'begin' | 'find'> {
  return { begin: { index }, find: { last, step, limit } };
}

/** The first argument. */
export function oneKey(access: KeyAccess, use?: Uses, index = 1): Keys {
  return { specs: [keySpec(index, access, use)] };
}

/** The argument at `index` as one key. */
export function keySpec(index: number, access: KeyAccess, use?: Uses): KeySpec {
  return withUse({ ...range(index, 0, 1), access }, use);
}

/** The first two arguments, alike. */
export function twoKeys(access: KeyAccess, use?: Uses): Keys {
  return { specs: [withUse({ ...range(1, 1, 1), access }, use)] };
}

/** Every argument from `index` on; `trailing` arguments at the end are none. */
export function keysToEnd(access: KeyAccess, use?: Uses, index = 1, trailing = 0): Keys {
  return { specs: [withUse({ ...range(index, -1 - trailing, 1), access }, use)] };
}

/** Key, value, key, value, ... from the first argument on. */
export function keyValuePairs(access: KeyAccess, use?: Uses): Keys {
  return { specs: [withUse({ ...range(1, -1, 2), access }, use)] };
}

/** As many keys as the argument at `index` says. */
export function countedKeys(index: number, access: KeyAccess, use?: Uses): Keys {
  return { specs: [countedSpec(index, access, use)] };
}

export function countedSpec(index: number, access: KeyAccess, use?: Uses): KeySpec {
  const find = { countAt: 0, firstKey: 1, step: 1 };
  return withUse({ begin: { index }, find, access }, use);
}

/** Several specs: a destination and its sources, say. */
export function allOf(...specs: KeySpec[]): Keys {
  return { specs };
}

function withUse(spec: KeySpec, use: Uses | undefined): KeySpec {
  if (use === undefined) return spec;
  return { ...spec, use: typeof use === 'string' ? [use] : use };
}

/** True when the keys are exactly the first argument, so that the router need not search for them. */
export function isFirstArgumentOnly(keys: Keys): boolean {
  const [spec] = keys.specs;
  return (
    keys.find === undefined && keys.specs.length === 1 && spec !== undefined && isFixed(spec, 1, 0)
  );
}

function isFixed(spec: KeySpec, index: number, last: number): boolean {
  if (spec.begin === 'unknown' || spec.find === 'unknown') return false;
  return (
    'index' in spec.begin &&
    spec.begin.index === index &&
    'last' in spec.find &&
    spec.find.last === last
  );
}

/** True when a command may change the keys of the spec. */
export function mayWrite({ access, altersState }: KeySpec): boolean {
  return access !== 'RO' || altersState === true;
}

/** All keys of the command, in the order of the specs; undefined when the arguments do not hold what a spec promises. */
export function findKeys(keys: Keys, args: ArgumentSource): readonly FoundKey[] | undefined {
  if (keys.find !== undefined) return keys.find(args, keys.specs);
  const found: FoundKey[] = [];
  for (const spec of keys.specs) {
    if (!findBySpec(spec, args, found)) return undefined;
  }
  return found;
}

function findBySpec(spec: KeySpec, args: ArgumentSource, found: FoundKey[]): boolean {
  const { begin, find } = spec;
  if (begin === 'unknown' || find === 'unknown') return true;
  const first = 'index' in begin ? begin.index : behindKeyword(begin, args);
  if (first < 0) return true;
  // Keys up to the end may also be none (PFMERGE with a destination alone).
  if ('last' in find && find.last < 0 && first >= args.count) return true;
  if (first >= args.count) return false;
  if ('countAt' in find) return findCounted(spec, find, first, args, found);
  let last = find.last < 0 ? args.count + find.last : first + find.last;
  if (find.last < 0 && find.limit > 1) {
    last = first + Math.floor((args.count - first) / find.limit) + find.last;
  }
  if (last >= args.count) return false;
  for (let index = first; index <= last; index += find.step) found.push({ index, spec });
  return true;
}

function findCounted(
  spec: KeySpec,
  find: { countAt: number; firstKey: number; step: number },
  first: number,
  args: ArgumentSource,
  found: FoundKey[],
): boolean {
  const count = args.integerAt(first + find.countAt);
  if (!Number.isSafeInteger(count) || count < 0) return false;
  // A destination without sources is a mistake; scripts may be without keys.
  if (count === 0) return found.length === 0;
  const start = first + find.firstKey;
  if (start + (count - 1) * find.step >= args.count) return false;
  for (let nth = 0; nth < count; nth += 1) found.push({ index: start + nth * find.step, spec });
  return true;
}

/** Index behind the keyword, or -1. A negative start searches backwards from the end. */
function behindKeyword(
  begin: { keyword: string; startFrom: number },
  args: ArgumentSource,
): number {
  const forward = begin.startFrom > 0;
  const start = forward ? begin.startFrom : args.count + begin.startFrom;
  for (let index = start; index > 0 && index < args.count - 1; index += forward ? 1 : -1) {
    if (args.spellsAt(index, begin.keyword)) return index + 1;
  }
  return -1;
}
