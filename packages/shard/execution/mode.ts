/**
 * Modes of the context: what the current command may do, and whose keys it concerns.
 *
 * The executor enters a mode for each command and leaves it after it, so no command ever meets the mode of another.
 */

import { FrameKind, Request, RequestFlag } from '#link';
import type { EffectWord } from '../log/effect-record.ts';
import type { Frame } from '../frames/frame.ts';

export interface Mode {
  /** True when the command may leave its client waiting: not in a transaction. */
  readonly mayBlock: boolean;
  /** The command's other keys are other shards' matter. */
  readonly isPartial: boolean;
  /** True for an offer: the command does not run, and only reports whether it would have a reply. */
  readonly isOffering: boolean;
  /** Main puts the items together: where they begin is noted, by argument. */
  readonly answersItems: boolean;
  /** A script calls the command. */
  readonly isCalled: boolean;
}

/** Same properties in the same order everywhere: the context reads them with each command. */
function modeOf(mayBlock: boolean, isPartial: boolean, kind?: 'offer' | 'items' | 'called'): Mode {
  return {
    mayBlock,
    isPartial,
    isOffering: kind === 'offer',
    answersItems: kind === 'items',
    isCalled: kind === 'called',
  };
}

export const MODES = {
  /** A command by itself. */
  run: modeOf(true, false),
  /** A command that its client cannot wait for: in a transaction, at recovery; also a part, and no command at all. */
  noWait: modeOf(false, false),
  /** A command that a script calls. */
  called: modeOf(false, false, 'called'),
  /** A command on this shard's own keys, which other shards run on theirs. */
  ownKeys: modeOf(true, true),
  /** A command on its own keys that must not block. */
  ownKeysNoWait: modeOf(false, true),
  /** A command that is only tried on this shard's keys. */
  offer: modeOf(true, true, 'offer'),
  /** A command on this shard's keys whose items are put together by main. */
  items: modeOf(false, true, 'items'),
} as const satisfies Record<string, Mode>;

/** Returns the mode in which a frame's command is run when nothing else is said. */
export function modeOfFrame({ words, word, kind }: Frame): Mode {
  const passesBarrier = (words[word + Request.kind]! & RequestFlag.passesBarrier) !== 0;
  if (kind === FrameKind.offer) return passesBarrier ? MODES.ownKeysNoWait : MODES.ownKeys;
  return passesBarrier ? MODES.noWait : MODES.run;
}

/** Keys that are here while a command with keys of several shards is run. The sets are made when they are asked for. */
export interface Guests {
  /** All keys that are here, lent ones and this shard's own; others are not to be looked up. */
  here(): ReadonlySet<string>;
  /** Lent keys that are dropped after the command. */
  spare(): ReadonlySet<string>;
  /** True when lent keys are here that are only read. */
  readonly readsLent: boolean;
  /** Names of those keys. */
  copies(): ReadonlySet<string>;
  /** The names of keys that commands have changed. */
  readonly touched: Set<string>;
  /** Commands that do what was done to this shard's own keys. */
  readonly ownEffects: (readonly EffectWord[])[];
}
