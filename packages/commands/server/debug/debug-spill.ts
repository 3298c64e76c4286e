/** The part of DEBUG that moves values to the warm tier. */

import { CommandError } from '#base';
import { SPILL_BUSY } from '#store';
import { everyShard } from '../../definition/definition.ts';
import { sum } from '../../definition/merge.ts';
import { disturbingHead } from './debug-head.ts';

const noTier = new CommandError('ERR DEBUG SPILL needs tiered.enabled and a policy that spills');

/** Moves values to the warm tier regardless of memory usage, so that tests with little data have warm values. */
export const spillValues = everyShard({
  ...disturbingHead,
  name: 'DEBUG|SPILL',
  summary: 'Moves values to the warm tier while its disk keeps up; returns the number of values.',
  arity: 2,
  run({ store }) {
    if (!store.tier.isOn || !store.policy.startsWith('tiered')) throw noTier;
    const before = store.stats.get('tierSpills');
    for (let freed = store.spillOne(); freed !== 0 && freed !== SPILL_BUSY;) {
      freed = store.spillOne();
    }
    return store.stats.get('tierSpills') - before;
  },
  merge: sum,
});
