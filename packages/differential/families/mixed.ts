/**
 * Commands of all families on the same keys, transactions of them, and values that take long to move: what one
 * leaves behind, or is still doing, the next finds.
 */
import type { Draw } from '../draw.ts';
import { isStep, step, type Family, type Maker, type Step } from '../family.ts';

/** Bytes of a value whose way to another shard takes several steps. */
const LONG_BYTES = 1_100_000;
const LONG_ELEMENTS = 300;

/** Equal distances are in any order, and what C makes of an infinite score as a place is left open: places have a family of their own. */
const PLACES_NEAR = /^GEO(SEARCH|RADIUS|POS|DIST|HASH)/i;

/** Redis' SORT fails when the number that was read last, by whichever command, was out of range. */
const SORTS = /^SORT/i;
const READS_NUMBER = ['ZADD', 'none', 'XX', '1', 'member'];

/** A family of all that the others have, each as often as another. */
export function mixed(families: readonly Family[]): Family {
  const settings = new Map(families.flatMap((family) => family.settings.map((it) => [it[0], it])));
  const makers = families.flatMap(({ makers: own }) => {
    const total = own.reduce((sum, [weight]) => sum + weight, 0);
    return own.map(([weight, maker]) => [weight / total, comparable(maker)] as const);
  });
  return {
    name: 'mixed',
    settings: [...settings.values()],
    makers: [
      ...makers,
      [1.5, (draw) => transaction(draw, makers)],
      [0.02, (draw) => ['SETRANGE', draw.key(), String(LONG_BYTES), draw.value()]],
      [0.02, longList],
    ],
    reads: (key) => families.flatMap((family) => family.reads?.(key) ?? []),
  };
}

/** Returns a maker of steps that can be compared among commands of other families. */
function comparable(maker: Maker): Maker {
  return (draw) => {
    const made = maker(draw);
    const is = (name: RegExp): boolean =>
      asStep(made).some(({ words: [word = ''] }) => name.test(word));
    if (is(PLACES_NEAR)) return ['TYPE', draw.key()];
    return is(SORTS) ? [...step(READS_NUMBER), ...asStep(made)] : made;
  };
}

function longList(draw: Draw): Step {
  const element = draw.pick('v', 'w').repeat(LONG_BYTES / LONG_ELEMENTS);
  const key = draw.key();
  return step(['DEL', key], ['RPUSH', key, ...draw.list(LONG_ELEMENTS, 600, () => element)]);
}

function transaction(draw: Draw, makers: Family['makers']): Step {
  const some = (least: number, most: number): Step =>
    Array.from({ length: draw.random.integer(least, most) }, () =>
      asStep(draw.random.pick(makers)[1](draw)),
    ).flat();
  const watched = draw.chance(0.3) ? [...step(['WATCH', ...draw.keys(1, 2)]), ...some(0, 1)] : [];
  const end = draw.chance(0.05) ? 'DISCARD' : 'EXEC';
  return [...watched, ...step(['MULTI']), ...some(0, 5), ...step([end])];
}

function asStep(made: ReturnType<Maker>): Step {
  return isStep(made) ? made : step(made);
}
