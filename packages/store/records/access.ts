/**
 * The 24 bits that say how recently or how often a record was used.
 *
 * LRU policies keep the seconds of the last access, LRM policies those of the last change. LFU policies keep 16 bits of minutes (when the
 * counter last decayed) above an 8-bit counter that grows ever more slowly, as Redis does.
 */
import { LFU_INITIAL } from '../memory/limits.ts';
import { ACCESS_MASK } from './record-head.ts';

export const EVICTION_POLICIES = [
  'noeviction',
  'allkeys-lru',
  'volatile-lru',
  'allkeys-lrm',
  'volatile-lrm',
  'allkeys-lfu',
  'volatile-lfu',
  'allkeys-random',
  'volatile-random',
  'volatile-ttl',
  'tiered-lru',
  'tiered-lfu',
] as const;

/** Policy for what to remove when memory runs out, by Redis' names. */
export type EvictionPolicy = (typeof EVICTION_POLICIES)[number];

/** Usage of a key that a policy decides by, which snapshot files contain; policies without one are left out. */
export const USAGE_KINDS: Readonly<Partial<Record<EvictionPolicy, 'idle' | 'frequency'>>> = {
  'allkeys-lru': 'idle',
  'volatile-lru': 'idle',
  'tiered-lru': 'idle',
  'allkeys-lrm': 'idle',
  'volatile-lrm': 'idle',
  'allkeys-lfu': 'frequency',
  'volatile-lfu': 'frequency',
  'tiered-lfu': 'frequency',
};

const MS_PER_MINUTE = 60_000;
const MINUTES_MASK = 0xffff;
const COUNTER_MAX = 255;

/** The settings that decide what an access means. */
interface AccessRules {
  readonly nowMs: number;
  readonly lfuLogFactor: number;
  readonly lfuDecayMinutes: number;
  readonly random: () => number;
}

/** The bits of a record that is read or written, from those it had; -1 when it is new. */
export function accessAfterUse(
  before: number,
  rules: AccessRules & { readonly countsUses: boolean; readonly clock: number },
): number {
  if (!rules.countsUses) return rules.clock & ACCESS_MASK;
  return before < 0 ? (minutesOf(rules.nowMs) << 8) | LFU_INITIAL : usedAgain(before, rules);
}

/** Usage of a key as known elsewhere; -1 if unknown. */
export interface KeyUse {
  readonly idleSeconds: number;
  readonly frequency: number;
}

/** The bits of a key that comes with its use, as Redis 7.4 sets them; undefined where the policy has no use for it. */
export function accessOfUse(
  { idleSeconds, frequency }: KeyUse,
  rules: { readonly countsUses: boolean; readonly clock: number; readonly nowMs: number },
): number | undefined {
  if (rules.countsUses) {
    return frequency < 0 ? undefined : (minutesOf(rules.nowMs) << 8) | frequency;
  }
  return idleSeconds < 0 ? undefined : rules.clock - Math.min(idleSeconds, ACCESS_MASK);
}

/** The counter after what it lost since it was last used. */
export function decayedCounter(access: number, rules: AccessRules): number {
  return decayed(access, minutesOf(rules.nowMs), rules.lfuDecayMinutes);
}

function decayed(access: number, minute: number, decayMinutes: number): number {
  const counter = access & COUNTER_MAX;
  const minutes = (minute - (access >>> 8)) & MINUTES_MASK;
  if (minutes === 0 || decayMinutes <= 0) return counter;
  return Math.max(0, counter - Math.floor(minutes / decayMinutes));
}

/** The bits after one more use. */
function usedAgain(access: number, rules: AccessRules): number {
  const minute = minutesOf(rules.nowMs);
  let counter = decayed(access, minute, rules.lfuDecayMinutes);
  if (counter < COUNTER_MAX) {
    const above = Math.max(0, counter - LFU_INITIAL);
    if (rules.random() < 1 / (above * rules.lfuLogFactor + 1)) counter += 1;
  }
  return (minute << 8) | counter;
}

/** Seconds since the access, within the range of 24 bits of seconds. */
export function idleSince(access: number, clock: number): number {
  return (clock - access) & ACCESS_MASK;
}

/** The minute that was worked out last: nearly always the one that is asked for. */
let minuteScratch = 0;
let minuteMsScratch = 0;

function minutesOf(nowMs: number): number {
  const sinceMs = nowMs - minuteMsScratch;
  if (sinceMs >= 0 && sinceMs < MS_PER_MINUTE) return minuteScratch;
  const minutes = Math.floor(nowMs / MS_PER_MINUTE);
  minuteMsScratch = minutes * MS_PER_MINUTE;
  minuteScratch = minutes & MINUTES_MASK;
  return minuteScratch;
}
