import { ERROR_CODES } from '#base';
import { Page, THREAD_SHAPE } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EvictionWatch } from './eviction-watch.ts';
import { ReplicaWatch } from './replica-watch.ts';

const watching = suite('watches of conditions');

const SECOND_US = 1_000_000;

function newPage(): Page {
  return new Page(THREAD_SHAPE, new SharedArrayBuffer(Page.bytes(THREAD_SHAPE)));
}

watching('evictions begin once and end after a quiet time, with their sum', () => {
  const main = newPage();
  const shards = [newPage(), newPage()];
  shards[0]!.add('evicted', 1_000);
  const lines: unknown[][] = [];
  const watch = new EvictionWatch({
    main,
    shards,
    policy: () => 'allkeys-lru',
    memoryLimitBytes: () => 1_000_000,
    log: (...words) => lines.push(words),
  });
  let nowUs = 0;
  const pass = (seconds: number, each: () => void): void => {
    for (let nth = 0; nth < seconds; nth += 1) {
      nowUs += SECOND_US;
      each();
      watch.look(nowUs);
    }
  };
  pass(20, () => undefined);
  assert.equal(lines, [], 'keys evicted before count for nothing');
  // A cache in use evicts now and then.
  pass(30, () => {
    shards[1]!.add('evicted', nowUs % (5 * SECOND_US) === 0 ? 7 : 0);
  });
  assert.equal(
    lines.map(([level, event, , fields]) => [level, event, fields]),
    [['info', 'evictions-began', { policy: 'allkeys-lru', used_bytes: 0, limit_bytes: 1_000_000 }]],
  );
  for (const page of shards) page.set('evicted', 0);
  pass(1, () => shards[0]!.add('evicted', 3));
  pass(30, () => undefined);
  assert.equal(
    lines.slice(1).map(([level, event, , fields]) => [level, event, fields]),
    [['info', 'evictions-ended', { keys: 6 * 7 + 3, ms: 26_000 }]],
  );
});

watching('refusals for want of replicas begin and end with the refused commands', () => {
  const main = newPage();
  const lines: unknown[][] = [];
  const watch = new ReplicaWatch({
    main,
    shards: [],
    minReplicas: () => 2,
    log: (...words) => lines.push(words),
  });
  watch.look(0);
  main.set('lacksReplicas', 1);
  main.set('goodReplicas', 1);
  watch.look(SECOND_US);
  for (let nth = 0; nth < 5; nth += 1) main.countError(ERROR_CODES.indexOf('NOREPLICAS'));
  watch.look(2 * SECOND_US);
  main.set('lacksReplicas', 0);
  main.set('goodReplicas', 2);
  watch.look(4 * SECOND_US);
  watch.look(5 * SECOND_US);
  assert.equal(
    lines.map(([level, event, , fields]) => [level, event, fields]),
    [
      ['warn', 'no-good-replicas', { good_replicas: 1, min_replicas: 2 }],
      ['info', 'good-replicas', { good_replicas: 2, ms: 3_000, refused: 5 }],
    ],
  );
});

watching.run();
