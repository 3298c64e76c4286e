/** Expiries so close that it depends on the clock whether the next command still finds the key. */
import type { Words } from './family.ts';

/** Milliseconds or seconds: whoever draws times draws longer ones. */
const BRIEF_MAX = 900;

const WITH_TIME = /^(P?EXPIRE|P?SETEX|HP?EXPIRE|RESTORE)$/i;
const WITH_OPTION = /^(SET|GETEX)$/i;
const OPTION = /^[EP]X$/i;

/** Whether the command lets something expire while the episode is played. */
export function expiresSoon(words: Words): boolean {
  const [name = '', , time = ''] = words;
  if (WITH_TIME.test(name)) return isBrief(time);
  if (!WITH_OPTION.test(name)) return false;
  return words.some((word, index) => OPTION.test(word) && isBrief(words[index + 1] ?? ''));
}

function isBrief(time: string): boolean {
  return Number(time) > 0 && Number(time) <= BRIEF_MAX;
}
