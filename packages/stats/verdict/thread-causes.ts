/** Limits that lie in processor time: the machine, main, front threads, shards, garbage collection. */

import type { Facts, ShardFacts, ThreadFacts } from './facts.ts';
import { type Judged, percent } from './finding.ts';
import { hasSpecificLoad } from './work-causes.ts';

/** Share of time for which a thread that serves commands waits for a processor. */
export const WAIT_SHARE = 0.2;
const THROTTLED_SHARE = 0.05;
const MEMORY_STALL_SHARE = 0.05;
/** Share of time from which a thread that has the processor is a limit. */
const RUN_SHARE = 0.85;
const COLLECTION_SHARE = 0.1;
export const COLLECTION_MS = 100;
/** A thread that waits longer for a processor has pauses that are not the collector's. */
const TRUSTED_WAIT_SHARE = 0.1;

/** Threads that commands wait for. */
export function servingThreads({ threads }: Facts): readonly ThreadFacts[] {
  return threads.filter(({ name }) => name !== 'ops');
}

export function machine(facts: Facts): readonly Judged[] {
  return [...starved(facts), ...throttled(facts), ...stalled(facts)];
}

/** Threads that wait for a processor for at least a share of their time, the one that waits longest first. */
export function waitingThreads(facts: Facts, share = WAIT_SHARE): readonly ThreadFacts[] {
  return servingThreads(facts)
    .filter(({ waitShare }) => waitShare >= share)
    .sort((a, b) => b.waitShare - a.waitShare);
}

function starved(facts: Facts): readonly Judged[] {
  const waiting = waitingThreads(facts);
  const [worst] = waiting;
  if (worst === undefined) return [];
  const { processors, threads } = facts.machine;
  const others = waiting.slice(1).map(({ name, waitShare }) => `${name} ${percent(waitShare)} %`);
  const more = others.length === 0 ? '' : ` (${others.join(', ')})`;
  const value = percent(worst.waitShare);
  return [
    {
      cause: 'machine',
      value,
      unit: '%',
      threshold: percent(WAIT_SHARE),
      object: 'processors',
      message: `threads wait for a processor: ${worst.name} for ${value} % of its time${more}`,
      advice: `Give the server more processor time: ${threads} threads execute commands and the process may use ${processors} ${processors === 1 ? 'processor' : 'processors'}. Stop other work on the machine, raise its limit or priority, or run fewer shards and front threads.`,
      link: '/debug/shards',
      weight: worst.waitShare,
    },
  ];
}

function throttled({ machine: { throttledShare, processors } }: Facts): readonly Judged[] {
  if (throttledShare === null || throttledShare < THROTTLED_SHARE) return [];
  const value = percent(throttledShare);
  return [
    {
      cause: 'machine',
      value,
      unit: '%',
      threshold: percent(THROTTLED_SHARE),
      object: 'processor limit',
      message: `the cgroup's processor limit stopped the server for ${value} % of the time`,
      advice: `Raise the processor limit of the container or service (cpu.max), or run fewer threads: the process sees ${processors} processors.`,
      link: '/debug/shards',
      weight: throttledShare,
    },
  ];
}

function stalled({ machine: { memoryStallShare } }: Facts): readonly Judged[] {
  if (memoryStallShare === null || memoryStallShare < MEMORY_STALL_SHARE) return [];
  const value = percent(memoryStallShare);
  return [
    {
      cause: 'machine',
      value,
      unit: '%',
      threshold: percent(MEMORY_STALL_SHARE),
      object: 'memory',
      message: `all tasks of the machine waited for memory for ${value} % of the time`,
      advice:
        'The machine swaps or reclaims memory: lower maxmemory, stop other programs, or add memory; a server without swap fails instead of becoming slow.',
      link: '/debug/memory',
      weight: memoryStallShare,
    },
  ];
}

export function main(facts: Facts): readonly Judged[] {
  const thread = facts.threads.find(({ name }) => name === 'main');
  if (thread === undefined || thread.runShare < RUN_SHARE) return [];
  if (facts.running.some((each) => each.thread === 'main')) return [];
  const hasFronts = facts.threads.some(({ name }) => name.startsWith('front-'));
  const value = percent(thread.runShare);
  return [
    {
      cause: 'main',
      value,
      unit: '%',
      threshold: percent(RUN_SHARE),
      object: null,
      message: `main has used ${value} % of a processor`,
      advice: hasFronts
        ? 'Main reads, routes and answers all commands: pipeline more, use commands with many keys (MGET, MSET), or spread the keys over several servers in a cluster.'
        : 'Main reads, routes and answers all commands: pipeline more, move sockets and TLS to front threads (server.front-threads), or spread the keys over several servers in a cluster.',
      link: '/debug/performance',
      weight: thread.runShare * 0.9,
    },
  ];
}

export function fronts({ threads }: Facts): readonly Judged[] {
  const loaded = threads.filter(
    ({ name, runShare }) => name.startsWith('front-') && runShare >= RUN_SHARE,
  );
  return loaded.map(({ name, runShare }) => ({
    cause: 'front',
    value: percent(runShare),
    unit: '%',
    threshold: percent(RUN_SHARE),
    object: name,
    message: `${name} has used ${percent(runShare)} % of a processor`,
    advice:
      'Front threads read, write and encrypt the sockets: raise server.front-threads while there are free processors.',
    link: '/debug/shards',
    weight: runShare * 0.8,
  }));
}

/** Shards at their limit for no reason that another cause names. */
export function shards(facts: Facts): readonly Judged[] {
  const loaded = facts.shards.filter(
    (each) => runOf(facts, each) >= RUN_SHARE && !hasSpecificLoad(facts, each),
  );
  if (loaded.length === 0) return [];
  const most = Math.max(...loaded.map((each) => runOf(facts, each)));
  const isAll = loaded.length === facts.shards.length;
  const names = loaded.map(({ shard }) => `shard ${shard}`);
  const value = percent(most);
  const object = isAll && names.length > 1 ? 'all shards' : names.join(', ');
  return [
    {
      cause: 'shard',
      value,
      unit: '%',
      threshold: percent(RUN_SHARE),
      object,
      message: `${object} ${names.length === 1 ? 'has' : 'have'} used up to ${value} % of a processor${names.length === 1 ? '' : ' each'}`,
      advice: isAll
        ? 'Run more shards (server.shards) while there are free processors; see which commands take the time on the page Commands.'
        : 'The keys of one shard are used more than the others, or its commands are slower: see hot keys and commands; do not put everything under one {tag}.',
      link: loaded.length === 1 ? `/debug/shards?shard=${loaded[0]!.shard}` : '/debug/shards',
      weight: most * 0.85,
    },
  ];
}

function runOf({ threads }: Facts, { shard }: ShardFacts): number {
  return threads.find(({ name }) => name === `shard-${shard}`)?.runShare ?? 0;
}

export function garbage(facts: Facts): readonly Judged[] {
  const paused = servingThreads(facts)
    .filter((thread) => ownCollections(thread) >= COLLECTION_SHARE || hasLongPause(thread))
    .sort((a, b) => ownCollections(b) - ownCollections(a));
  const [worst] = paused;
  if (worst === undefined) return [];
  const value = percent(ownCollections(worst));
  const pause = hasLongPause(worst)
    ? `, the longest pause took ${Math.round(worst.collectionMsMax)} ms`
    : '';
  return [
    {
      cause: 'garbage',
      value,
      unit: '%',
      threshold: percent(COLLECTION_SHARE),
      object: worst.name,
      message: `garbage collection took ${value} % of the time of ${worst.name}${pause}`,
      advice:
        worst.name === 'main'
          ? 'Large replies, many connections and long lists of clients make garbage on main: request smaller ranges, and reuse connections.'
          : 'Large collections and long replies are objects on a heap: split big keys, request smaller ranges, and make fewer temporary tables in scripts.',
      link: '/debug/performance',
      weight: ownCollections(worst),
    },
  ];
}

/** Share of collections in the processor time that the thread had: one without a processor pauses for longer. */
function ownCollections({ runShare, waitShare, collectionShare }: ThreadFacts): number {
  const wanted = runShare + waitShare;
  return wanted === 0 ? 0 : Math.min(collectionShare, runShare) * (runShare / wanted);
}

function hasLongPause({ waitShare, collectionMsMax }: ThreadFacts): boolean {
  return waitShare < TRUSTED_WAIT_SHARE && collectionMsMax >= COLLECTION_MS;
}
