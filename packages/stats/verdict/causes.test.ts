/** The table of causes: each alone, and beside a machine without processor time, is named, and no other is. */
import type { LimitCause } from '#api-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeLimits, LIMIT_CAUSES } from './causes.ts';
import type { Facts, RunningFacts, ThreadFacts } from './facts.ts';
import { quiet, withShard, withThreads } from './facts.test-helper.ts';

const causes = suite('causes of limits');

const busy: Partial<ThreadFacts> = { runShare: 0.95 };
const hog: RunningFacts = {
  thread: 'shard-0',
  command: 'evalsha',
  seconds: 4.25,
  client: 7,
  key: 'k',
  script: 'abc',
  line: 12,
};

interface Case {
  readonly name: string;
  readonly causes: readonly LimitCause[];
  readonly change: (facts: Facts) => Facts;
  /** Begin of the first message. */
  readonly message?: RegExp;
  /** True where the machine's own shortage is part of the case. */
  readonly isStarved?: true;
}

const cases: readonly Case[] = [
  { name: 'nothing', causes: [], change: (facts) => facts },
  {
    name: 'a full cache that evicts with a steady hit rate',
    causes: [],
    change: (facts) => ({ ...facts, memory: { ...facts.memory, evictedPerSecond: 5_000 } }),
  },
  {
    name: 'main',
    causes: ['main'],
    change: (facts) => withThreads(facts, { main: busy }),
    message: /^main has used 95 % of a processor$/,
  },
  {
    name: 'one shard',
    causes: ['shard'],
    change: (facts) => withThreads(facts, { 'shard-1': busy }),
    message: /^shard 1 has used up to 95 % of a processor/,
  },
  {
    name: 'all shards',
    causes: ['shard'],
    change: (facts) => withThreads(facts, { 'shard-0': busy, 'shard-1': busy }),
    message: /^all shards have used up to 95 %/,
  },
  {
    name: 'a front thread',
    causes: ['front'],
    change: (facts) => ({
      ...facts,
      threads: [...facts.threads, { ...facts.threads[0]!, name: 'front-0', ...busy }],
    }),
    message: /^front-0 has used 95 %/,
  },
  {
    name: 'a hot key',
    causes: ['key'],
    change: (facts) =>
      withShard(withThreads(facts, { 'shard-0': busy }), { topKey: { key: 'hot', share: 0.8 } }),
    message: /^key hot takes 80 % of the time of shard 0: about 8000 commands per second$/,
  },
  {
    name: 'a hot key of a shard that has time',
    causes: [],
    change: (facts) => withShard(facts, { topKey: { key: 'hot', share: 0.8 } }),
  },
  {
    name: 'a script that runs',
    causes: ['command'],
    change: (facts) => ({ ...withThreads(facts, { 'shard-0': busy }), running: [hog] }),
    message:
      /^shard-0 has been running evalsha for 4\.3 s \(script abc, line 12, key k, client 7\)$/,
  },
  {
    name: 'a script that runs, whose client is the only one that executes',
    causes: ['command'],
    change: (facts) => ({
      ...withThreads(facts, { 'shard-0': busy }),
      running: [hog],
      clients: { ...facts.clients, busiest: { id: 7, share: 1 } },
    }),
  },
  {
    name: 'a command that has just begun',
    causes: [],
    change: (facts) => ({ ...facts, running: [{ ...hog, seconds: 0.9 }] }),
  },
  {
    name: 'a command of main',
    causes: ['command'],
    change: (facts) => ({
      ...withThreads(facts, { main: busy }),
      running: [{ ...hog, thread: 'main', command: 'info', script: null, key: null, line: 0 }],
    }),
    message: /^main has been running info for 4\.3 s \(client 7\)$/,
  },
  {
    name: 'slow commands, one after the other',
    causes: ['command'],
    change: (facts) =>
      withShard(withThreads(facts, { 'shard-0': busy }), {
        topCommand: { name: 'smembers', share: 0.8, calls: 40, meanMs: 100, script: null },
      }),
    message: /^smembers takes 80 % of the time of shard 0: 40 calls of 100\.0 ms$/,
  },
  {
    name: 'a client that does not read',
    causes: ['client'],
    change: (facts) => ({
      ...facts,
      clients: { ...facts.clients, slowest: { id: 9, bytes: 2 ** 25 } },
    }),
    message: /^client 9 does not read its replies: 32\.0 MiB wait in its output buffer$/,
  },
  {
    name: 'a client that does not read, for which keys are evicted',
    causes: ['client'],
    change: (facts) => ({
      ...facts,
      memory: { ...facts.memory, evictedPerSecond: 7 },
      clients: { ...facts.clients, slowest: { id: 9, bytes: 2 ** 25 } },
    }),
    message: /, and keys are evicted to make room for it$/,
  },
  {
    name: 'a client that floods',
    causes: ['client', 'main'],
    change: (facts) => ({
      ...withThreads(facts, { main: busy }),
      clients: { ...facts.clients, busiest: { id: 5, share: 0.9 } },
    }),
  },
  {
    name: 'one client alone',
    causes: ['main'],
    change: (facts) => ({
      ...withThreads(facts, { main: busy }),
      clients: { ...facts.clients, connected: 1, busiest: { id: 5, share: 1 } },
    }),
  },
  {
    name: 'garbage collection',
    causes: ['garbage'],
    change: (facts) => withThreads(facts, { main: { runShare: 0.6, collectionShare: 0.3 } }),
    message: /^garbage collection took \d+ % of the time of main$/,
  },
  {
    name: 'a long pause for garbage collection',
    causes: ['garbage'],
    change: (facts) => withThreads(facts, { 'shard-1': { collectionMsMax: 400 } }),
    message: /of shard-1, the longest pause took 400 ms$/,
  },
  {
    name: 'a full disk',
    causes: ['disk'],
    change: (facts) => ({
      ...facts,
      disk: { ...facts.disk, logError: 'ENOSPC', freeBytes: 4_096, refusesWrites: true },
    }),
    message: /^the log cannot be written to \/data \(ENOSPC, 4\.0 KiB free\); writes are refused$/,
  },
  {
    name: 'snapshots that fail',
    causes: ['disk'],
    change: (facts) => ({ ...facts, disk: { ...facts.disk, snapshotError: 'EROFS' } }),
    message: /^snapshots cannot be written to \/data \(EROFS, 93\.1 GiB free\)$/,
  },
  {
    name: 'a slow disk',
    causes: ['disk'],
    change: (facts) => ({
      ...facts,
      machine: { ...facts.machine, ioStallShare: 0.4 },
      disk: { ...facts.disk, mode: 'sync', syncs: 20, syncMsMean: 200, syncShare: 0.8 },
    }),
    message: /^the disk takes 200 ms for a sync of the log, 80 % of the time$/,
  },
  {
    name: 'writes that are refused for want of memory',
    causes: ['memory'],
    change: (facts) => ({ ...facts, memory: { ...facts.memory, refusedPerSecond: 12 } }),
    message: /^12 writes per second are refused/,
  },
  {
    name: 'evictions with a falling hit rate',
    causes: ['memory'],
    change: (facts) => ({
      ...facts,
      memory: { ...facts.memory, evictedPerSecond: 100, hitShare: 0.5 },
    }),
    message: /^the hit rate fell from 95 % to 50 % while 100 keys per second are evicted$/,
  },
  {
    name: 'a hit rate that falls without evictions',
    causes: [],
    change: (facts) => ({ ...facts, memory: { ...facts.memory, hitShare: 0.1 } }),
  },
  {
    name: 'a replica that is gone',
    causes: ['replication'],
    change: (facts) => ({ ...facts, replication: { ...facts.replication, replicas: 0 } }),
    message: /^0 of 1 replicas are connected$/,
  },
  {
    name: 'a replica that stands still',
    causes: ['replication'],
    change: (facts) => ({ ...facts, replication: { ...facts.replication, replicaLagMs: 4_000 } }),
    message: /^the slowest replica has not acknowledged for 4\.0 s$/,
  },
  {
    name: 'a link that is down',
    causes: ['replication'],
    change: (facts) => ({ ...facts, replication: { ...facts.replication, linkDownMs: 2_000 } }),
  },
  {
    name: 'writes that are refused for want of replicas',
    causes: ['replication'],
    change: (facts) => ({ ...facts, replication: { ...facts.replication, lacksReplicas: true } }),
  },
  {
    name: 'transactions over all shards',
    causes: ['barrier'],
    change: (facts) => ({ ...facts, barrierShare: 0.6, barriersPerSecond: 900 }),
    message: /for 60 % of the time, 900 times per second$/,
  },
  {
    name: 'a working set beyond memory',
    causes: ['tier'],
    change: (facts) => ({
      ...facts,
      tier: { ...facts.tier, fetchesPerSecond: 3_000, fetchShare: 0.6 },
    }),
    message: /^60 % of look-ups go to the disk of the warm tier/,
  },
  {
    name: 'a fault of the tier',
    causes: ['tier'],
    change: (facts) => ({ ...facts, tier: { ...facts.tier, fault: 'full' } }),
  },
  {
    name: 'a full network',
    causes: ['network'],
    change: (facts) => ({
      ...facts,
      machine: { ...facts.machine, interface: { name: 'eth0', share: 0.97 } },
    }),
    message: /^network interface eth0 is 97 % used$/,
  },
  {
    name: 'a network that loses packets',
    causes: ['network'],
    change: (facts) => ({ ...facts, machine: { ...facts.machine, retransmittedShare: 0.1 } }),
  },
  {
    name: 'a limit of the cgroup',
    causes: ['machine'],
    change: (facts) => ({ ...facts, machine: { ...facts.machine, throttledShare: 0.3 } }),
    message: /^the cgroup's processor limit stopped the server for 30 % of the time$/,
    isStarved: true,
  },
  {
    name: 'a machine that swaps',
    causes: ['machine'],
    change: (facts) => ({ ...facts, machine: { ...facts.machine, memoryStallShare: 0.2 } }),
    isStarved: true,
  },
];

function named(facts: Facts): readonly LimitCause[] {
  return [...new Set(judgeLimits(facts).map(({ cause }) => cause))];
}

for (const { name, causes: wanted, change, message } of cases) {
  causes(`${name}: ${wanted.join(', ') || 'no limit'}`, () => {
    const facts = change(quiet);
    assert.equal(named(facts), wanted);
    if (message !== undefined) assert.match(judgeLimits(facts)[0]!.message, message);
  });
}

/** Takes a part of each thread's processor time away; the thread waits instead. */
function starved(facts: Facts): Facts {
  const threads = facts.threads.map((thread) => ({
    ...thread,
    runShare: thread.runShare * 0.5,
    waitShare: Math.max(0.3, thread.runShare * 0.5),
  }));
  return { ...facts, threads };
}

/** Threads that use a processor fully do not, where there is none: they are no limit beside the machine. */
const HIDDEN: ReadonlySet<LimitCause> = new Set(['main', 'shard', 'front']);

for (const { name, causes: wanted, change, isStarved } of cases) {
  if (isStarved === true || name.includes('pause')) continue;
  causes(`${name}, on a machine without processor time: the machine as well`, () => {
    const expected = [...wanted.filter((each) => !HIDDEN.has(each)), 'machine'].sort();
    assert.equal([...named(starved(change(quiet)))].sort(), expected);
  });
}

causes('a pause of a thread that has no processor is the machine, not garbage', () => {
  const facts = withThreads(quiet, { main: { waitShare: 0.6, collectionMsMax: 900 } });
  assert.equal(named(facts), ['machine']);
});

causes('a slow sync on a machine without processor time is the machine, not the disk', () => {
  const disk = { ...quiet.disk, syncs: 20, syncMsMean: 200, syncShare: 0.8 };
  const facts = withThreads({ ...quiet, disk }, { main: { waitShare: 0.6 } });
  assert.equal(named(facts), ['machine']);
});

causes('every cause has a case that names it', () => {
  const covered = new Set(cases.flatMap((each) => each.causes));
  assert.equal(
    LIMIT_CAUSES.filter((cause) => !covered.has(cause)),
    [],
  );
});

causes('every finding has a sentence, an advice and a number', () => {
  for (const { change } of cases) {
    for (const { message, advice, value, unit } of judgeLimits(change(quiet))) {
      assert.ok(advice.length > 30 && message.length > 10 && unit !== '');
      assert.ok(Number.isFinite(value), message);
      assert.not.match(message, /undefined|NaN|\.$/);
    }
  }
});

causes.run();
