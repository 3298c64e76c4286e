/** Calls of main that a shard answers by what all of its parts know. */

import {
  HEAP,
  movedKeysCall,
  PROFILE,
  PURGE,
  READ_ONLY_FUNCTIONS,
  resetStatisticsCall,
  SCRIPT_STATS,
  SHARD_CONTENT,
  type ShardContent,
  slotBytesCall,
  slotFiguresCall,
  STATELESS_FUNCTIONS,
  sweepSlotsCall,
  walkSlotCall,
} from '#stats';
import { sweepSlots, walkSlot } from '../cluster/slot-keys.ts';
import { slotBytes } from '../observation/slot-stats.ts';
import type { MachineComponents } from './machine-components.ts';
import type { MachineOptions } from './machine-options.ts';
import type { Scripts } from '../scripts/scripts.ts';

export function answerCalls(
  base: MachineComponents,
  options: MachineOptions,
  scripts: Scripts,
): void {
  const { answerers, maintenance, store } = base;
  answerers.on(PROFILE, (question) => options.profiler.profile(question));
  answerers.on(HEAP, () => options.profiler.heap());
  answerers.on(PURGE, () => {
    const bytes = maintenance.purge();
    options.purge?.();
    return bytes;
  });
  answerers.on(SHARD_CONTENT, (): ShardContent => {
    const keys = store.keyCount;
    const warmKeys = store.tier.stats.keys;
    return { keys, hot_keys: keys - warmKeys, warm_keys: warmKeys };
  });
  answerers.on(walkSlotCall, (step) => walkSlot(store, step));
  const { slots } = base.keyUse;
  answerers.on(slotFiguresCall, ({ first, last }) => slots.figures(store, first, last));
  answerers.on(slotBytesCall, ({ cursor }) => slotBytes(store, cursor));
  answerers.on(sweepSlotsCall, (step) => sweepSlots(store, step));
  answerers.on(movedKeysCall, () => base.snapshots.movedKeys);
  answerers.on(SCRIPT_STATS, () => scripts.stats.figures);
  answerers.on(READ_ONLY_FUNCTIONS, () => scripts.readOnlyFunctions);
  answerers.on(STATELESS_FUNCTIONS, () => scripts.statelessFunctions);
  base.staged.answer(answerers);
  base.slowness.answer(answerers);
  base.settings.answer(answerers);
  base.keyUse.answer(answerers);
  answerers.on(resetStatisticsCall, () => {
    options.page.resetStatistics();
    maintenance.resetStatistics();
    scripts.stats.reset();
    slots.reset();
    return null;
  });
}
