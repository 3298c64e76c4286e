/** Limits that lie in what clients send: one command or script, one key, one client, transactions of all shards. */

import type { Facts, RunningFacts, ShardFacts } from './facts.ts';
import { inBytes, type Judged, percent } from './finding.ts';

/** A command that runs for longer is named while it runs. */
const RUNNING_SECONDS = 1;
/** Share of a shard's time from which a command or key is a limit, and of a shard that has work from which it matters. */
const OWN_SHARE = 0.5;
const KEY_SHARE = 0.4;
const DEMAND_SHARE = 0.7;
/** Commands that take less are many, and not slow. */
const SLOW_MS = 1;
/** Minimum commands of a second for a key to be hot. */
const HOT_COMMANDS = 500;
const CLIENT_SHARE = 0.5;
const OUTPUT_BYTES = 16 * 1024 * 1024;
const OUTPUT_SHARE = 0.05;
const BARRIER_SHARE = 0.2;

/** Share of the window in which a shard ran or wanted to. */
function demandOf({ threads }: Facts, name: string): number {
  const thread = threads.find((each) => each.name === name);
  return thread === undefined ? 0 : Math.min(1, thread.runShare + thread.waitShare);
}

export function command(facts: Facts): readonly Judged[] {
  const running = facts.running.filter(({ seconds }) => seconds >= RUNNING_SECONDS);
  const repeated = facts.shards.filter(
    (shard) => isSlow(facts, shard) && !running.some(({ thread }) => thread === threadOf(shard)),
  );
  return [...running.map(runningNow), ...repeated.map(slowCommand)];
}

function runningNow(running: RunningFacts): Judged {
  const { thread, seconds, client, key, script, line } = running;
  const value = Math.round(10 * seconds) / 10;
  const parts = [
    ...(script === null ? [] : [`script ${script}`]),
    ...(line > 0 ? [`line ${line}`] : []),
    ...(key === null ? [] : [`key ${key}`]),
    ...(client === null ? [] : [`client ${client}`]),
  ];
  const details = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  return {
    cause: 'command',
    value,
    unit: 's',
    threshold: RUNNING_SECONDS,
    object: `${running.command} on ${thread}`,
    message: `${thread} has been running ${running.command} for ${value.toFixed(1)} s${details}`,
    advice: script === null ? commandAdvice(client) : scriptAdvice(script),
    link:
      script === null ? commandLink(thread) : `/debug/scripts?sha=${encodeURIComponent(script)}`,
    weight: 1.5,
  };
}

function commandLink(thread: string): string {
  return thread === 'main'
    ? '/debug/clients'
    : `/debug/shards?shard=${thread.slice('shard-'.length)}`;
}

function commandAdvice(client: number | null): string {
  const of = client === null ? '' : ` (sent by client ${client})`;
  return `All other commands of that thread wait for this one${of}. Replace commands over whole collections with SCAN, HSCAN, SSCAN or smaller ranges, and split big keys.`;
}

function scriptAdvice(script: string): string {
  return `All other commands of that shard wait for this script. SCRIPT KILL (FUNCTION KILL for a function) ends it if it has not written; shorten script ${script}, or do its work in parts.`;
}

function isSlow(facts: Facts, shard: ShardFacts): boolean {
  const { topCommand: top } = shard;
  // One call that has ended is no limit any more.
  if (top === null || top.calls < 2 || top.meanMs < SLOW_MS) return false;
  const demand = demandOf(facts, threadOf(shard));
  return demand >= DEMAND_SHARE && top.share >= OWN_SHARE * demand;
}

function slowCommand(shard: ShardFacts): Judged {
  const { name, share, calls, meanMs, script } = shard.topCommand!;
  const value = percent(share);
  const of = script === null ? '' : ` (script ${script})`;
  return {
    cause: 'command',
    value,
    unit: '%',
    threshold: percent(OWN_SHARE),
    object: `calls of ${name} on ${threadOf(shard)}`,
    message: `${name}${of} takes ${value} % of the time of shard ${shard.shard}: ${calls} calls of ${meanMs.toFixed(1)} ms`,
    advice:
      script === null
        ? 'Replace commands over whole collections with SCAN, HSCAN, SSCAN or smaller ranges, and split big keys; SLOWLOG GET shows the calls with their clients.'
        : scriptAdvice(script),
    link: script === null ? '/debug/commands' : `/debug/scripts?sha=${encodeURIComponent(script)}`,
    weight: share,
  };
}

/** True when a command or a key explains the shard's load. */
export function hasSpecificLoad(facts: Facts, shard: ShardFacts): boolean {
  return (
    isSlow(facts, shard) ||
    isHot(facts, shard) ||
    facts.running.some(({ thread }) => thread === threadOf(shard))
  );
}

export function key(facts: Facts): readonly Judged[] {
  return facts.shards.filter((shard) => isHot(facts, shard)).map((shard) => hotKey(facts, shard));
}

function isHot(facts: Facts, shard: ShardFacts): boolean {
  const { topKey, commands } = shard;
  if (topKey === null || topKey.share < KEY_SHARE) return false;
  if (commands < HOT_COMMANDS * facts.seconds || isSlow(facts, shard)) return false;
  // The samples are all of that one command.
  if (facts.running.some(({ thread }) => thread === threadOf(shard))) return false;
  return demandOf(facts, threadOf(shard)) >= DEMAND_SHARE;
}

function hotKey(facts: Facts, shard: ShardFacts): Judged {
  const { key: name, share } = shard.topKey!;
  const value = percent(share);
  const perSecond = Math.round((shard.commands * share) / facts.seconds);
  return {
    cause: 'key',
    value,
    unit: '%',
    threshold: percent(KEY_SHARE),
    object: name,
    message: `key ${name} takes ${value} % of the time of shard ${shard.shard}: about ${perSecond} commands per second`,
    advice:
      'One key lives on one shard. Read it from a client-side cache (CLIENT TRACKING) or from replicas, split it into several keys, or batch its writes.',
    link: `/debug/hot-keys?key=${encodeURIComponent(name)}`,
    weight: share * demandOf(facts, threadOf(shard)),
  };
}

export function client(facts: Facts): readonly Judged[] {
  return [...slowReader(facts), ...flood(facts)];
}

/** Client whose unread replies are long enough to be named; undefined without one. */
export function slowestReader({
  clients: { slowest },
  memory,
}: Facts): { readonly id: number; readonly bytes: number; readonly threshold: number } | undefined {
  const threshold = outputLimit(memory.limitBytes);
  return slowest === null || slowest.bytes < threshold ? undefined : { ...slowest, threshold };
}

function slowReader(facts: Facts): readonly Judged[] {
  const slowest = slowestReader(facts);
  if (slowest === undefined) return [];
  const { memory } = facts;
  const { threshold } = slowest;
  const evicts =
    memory.evictedPerSecond > 0
      ? ', and keys are evicted to make room for it'
      : memory.refusedPerSecond > 0
        ? ', and writes are refused for want of memory'
        : '';
  return [
    {
      cause: 'client',
      value: slowest.bytes,
      unit: 'bytes',
      threshold,
      object: `client ${slowest.id}`,
      message: `client ${slowest.id} does not read its replies: ${inBytes(slowest.bytes)} wait in its output buffer${evicts}`,
      advice: `Find out why it does not read (CLIENT LIST ID ${slowest.id}), or end it (CLIENT KILL ID ${slowest.id}); client-output-buffer-limit ends such clients by itself.`,
      link: `/debug/clients?id=${slowest.id}`,
      weight: memory.limitBytes > 0 ? Math.min(1.2, 0.5 + slowest.bytes / memory.limitBytes) : 0.5,
    },
  ];
}

/** Output of one client from which it is named. */
function outputLimit(limitBytes: number): number {
  return limitBytes > 0
    ? Math.min(OUTPUT_BYTES, Math.ceil(OUTPUT_SHARE * limitBytes))
    : OUTPUT_BYTES;
}

function flood(facts: Facts): readonly Judged[] {
  const { busiest, connected } = facts.clients;
  if (busiest === null || connected < 2 || busiest.share < CLIENT_SHARE) return [];
  // One long command is no flood: it is a finding of its own.
  if (facts.running.some(({ client }) => client === busiest.id)) return [];
  const demand = Math.max(
    demandOf(facts, 'main'),
    ...facts.shards.map((shard) => demandOf(facts, threadOf(shard))),
  );
  if (demand < DEMAND_SHARE) return [];
  const value = percent(busiest.share);
  return [
    {
      cause: 'client',
      value,
      unit: '%',
      threshold: percent(CLIENT_SHARE),
      object: `client ${busiest.id}`,
      message: `commands of client ${busiest.id} take ${value} % of the execution time`,
      advice: `Limit its rate (ACL SETUSER ... ratelimit:cps=N), or find out what it does (CLIENT LIST ID ${busiest.id}).`,
      link: `/debug/clients?id=${busiest.id}`,
      weight: busiest.share * demand,
    },
  ];
}

export function barrier({ barrierShare, barriersPerSecond }: Facts): readonly Judged[] {
  if (barrierShare < BARRIER_SHARE) return [];
  const value = percent(barrierShare);
  return [
    {
      cause: 'barrier',
      value,
      unit: '%',
      threshold: percent(BARRIER_SHARE),
      object: null,
      message: `all shards paused for transactions and scripts for ${value} % of the time, ${Math.round(barriersPerSecond)} times per second`,
      advice:
        'Give the keys of a transaction or script one {hash tag}, and name them as KEYS[n]: one shard then executes it. With one shard (server.shards = 1) no pause is needed.',
      link: '/debug/scripts',
      weight: barrierShare,
    },
  ];
}

function threadOf({ shard }: Pick<ShardFacts, 'shard'>): string {
  return `shard-${shard}`;
}
