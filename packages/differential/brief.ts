/** Expiries so close that it depends on the clock whether the next command still finds the key. */
import type { Words } from './family.ts';

/** Milliseconds or seconds: random times are longer. */
const BRIEF_MAX = 900;

const WITH_TIME = /^(P?EXPIRE|P?SETEX|HP?EXPIRE|RESTORE)$/i;
const WITH_OPTION = /^(SET|GETEX)$/i;
const OPTION = /^[EP]X$/i;
/** Commands that keep a key whose expiry is already past until it is found, and count it until then: only SET. */
const KEEPS_ENDED = /^SET$/i;
const MOMENT = /^[EP]XAT$/i;

/** True when the command lets something expire while the episode is played. */
export function expiresSoon(words: Words): boolean {
  const [name = '', , time = ''] = words;
  if (WITH_TIME.test(name)) return isBrief(time);
  if (!WITH_OPTION.test(name)) return false;
  return words.some((word, index) => {
    const value = words[index + 1] ?? '';
    if (OPTION.test(word)) return isBrief(value);
    return KEEPS_ENDED.test(name) && MOMENT.test(word) && hasCome(word, value);
  });
}

function hasCome(option: string, time: string): boolean {
  const unixMs = Number(time) * (/^E/i.test(option) ? 1_000 : 1);
  return unixMs > 0 && unixMs <= Date.now() + BRIEF_MAX * 1_000;
}

function isBrief(time: string): boolean {
  return Number(time) > 0 && Number(time) <= BRIEF_MAX;
}
