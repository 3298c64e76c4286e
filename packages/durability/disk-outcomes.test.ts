import { constants } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DiskOutcomes } from './disk-outcomes.ts';

const outcomes = suite('outcomes of the disk');

const FULL = 'ENOSPC: no space left on device, write';

outcomes('a failure that is repeated is one entry, with its error number', () => {
  const kept = new DiskOutcomes();
  kept.failed({ what: 'snapshot', shard: null }, FULL, 1);
  kept.failed({ what: 'log', shard: 1 }, FULL, 2);
  kept.failed({ what: 'snapshot', shard: null }, FULL, 3);
  assert.equal(
    kept.failures.map(({ what, shard, code, errno, count }) => [what, shard, code, errno, count]),
    [
      ['snapshot', null, 'ENOSPC', constants.errno.ENOSPC, 2],
      ['log', 1, 'ENOSPC', constants.errno.ENOSPC, 1],
    ],
  );
  assert.equal([kept.failures[0]?.first_time_ms, kept.failures[0]?.last_time_ms], [1, 3]);
});

outcomes('a message without an error of the system has no number', () => {
  const kept = new DiskOutcomes();
  kept.failed({ what: 'log', shard: null }, 'the disk thread has died: EVERYTHING', 1);
  assert.equal([kept.failures[0]?.code, kept.failures[0]?.errno], [null, null]);
});

outcomes('the latest are kept, newest first', () => {
  const kept = new DiskOutcomes();
  for (let number = 0; number < 30; number += 1) {
    kept.saved({ number, keys: 1, bytes: 2, duration_us: 3, time_ms: number });
    kept.failed({ what: 'snapshot', shard: null }, `message ${number}`, number);
  }
  assert.equal([kept.snapshots.length, kept.failures.length], [20, 20]);
  assert.equal([kept.snapshots[0]?.number, kept.failures[0]?.message], [29, 'message 29']);
});

outcomes.run();
