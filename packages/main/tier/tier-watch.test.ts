/** Faults of the warm tier's disk in the log: each once when it comes, and once when it is over. */

import { allocateShared } from '#link';
import { TierFault, TierFigures } from '#tier';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TierWatch } from './tier-watch.ts';

const watch = suite('watch of the warm tier');

watch('faults are told when they come and when they end, unread values by their number', () => {
  const figures = [0, 1].map(() => new TierFigures(allocateShared(TierFigures.bytes)));
  const reported: string[] = [];
  const note =
    (level: string) =>
    (event: string, message: string): void => {
      reported.push(`${level} ${event} ${message}`);
    };
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  const watched = new TierWatch(
    figures,
    log as unknown as ConstructorParameters<typeof TierWatch>[1],
  );
  const since = (act: () => void): string[] => {
    act();
    watched.look();
    watched.look();
    return reported.splice(0);
  };
  assert.equal(
    since(() => undefined),
    [],
  );
  const full = since(() => figures[1]!.set('fault', TierFault.full));
  assert.equal(full, [
    'error tier-fault Shard 1: the disk of the warm tier is full: no more values are spilled',
  ]);
  const over = since(() => figures[1]!.set('fault', TierFault.none));
  assert.equal(over, ['info tier-fault-ended Warm tier of shard 1 writable again']);
  const unread = since(() => figures[0]!.add('unread', 3));
  assert.match(unread.join('\n'), /^error tier-unread 3 values of the warm tier of shard 0 could/);
  assert.equal(
    since(() => figures[0]!.set('fault', TierFault.dead)),
    [],
  );
});

watch.run();
