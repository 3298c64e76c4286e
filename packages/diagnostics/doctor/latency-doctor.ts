/** LATENCY DOCTOR: a report about latency in sentences, with advice. */

import { latin1 } from '#base';
import type { RefusedUser } from './recent-refusals.ts';
import type { LimitFinding } from '#api-types';
import {
  CAUSES,
  type LatencySeries,
  MAIN_THREAD,
  type PauseReport,
  SAMPLES_MAX,
  type SlowEntry,
  type StarvedTime,
} from '#stats';
import { eventAdvice, type ServerFacts } from './event-advice.ts';

/** Measurements from which the report is made. */
export interface Symptoms {
  /** Setting latency-monitor-threshold; 0 if latency monitoring is off. */
  readonly thresholdMs: number;
  /** Setting slowlog-log-slower-than in microseconds; -1 if the slow log is off. */
  readonly slowerThanUs: number;
  /** Limits of now, the strongest first. */
  readonly limits: readonly LimitFinding[];
  /** Latest times in which threads had too little processor time. */
  readonly starved: readonly StarvedTime[];
  readonly facts: ServerFacts;
  readonly series: readonly LatencySeries[];
  /** Slow commands, newest first. */
  readonly slow: readonly SlowEntry[];
  /** Shards that did not reply in time. */
  readonly missingShards: readonly number[];
  /** Shards that execute one long command. */
  readonly stuckShards: readonly number[];
  /** True for commands that main executes itself; others on main wait for shards. */
  readonly runsOnMain: (name: string) => boolean;
  readonly main: PauseReport;
  /** Pauses of each shard; its loop is late by as much as its rounds last. */
  readonly shards: readonly PauseReport[];
  /** Microseconds that requests waited for their shard: of each shard, the 99th percentile. */
  readonly queueUsP99: readonly number[];
  /** Scripts and functions that were run, and those for which all shards had to stop. */
  readonly scripts: { readonly runs: number; readonly barriers: number };
  /** Commands that rate limits have refused within the last minute, by user; most first. */
  readonly refused: readonly RefusedUser[];
  /** Look-ups that found a key, those of them that went to the disk, and the memory that 99 % of them would need. */
  readonly tier: {
    readonly hits: number;
    readonly fetches: number;
    readonly workingSetBytes: number;
    readonly limitBytes: number;
  };
  /** The longest pause that the machine causes by itself, when it was measured. */
  readonly baselineUsMax?: number;
  readonly nowMs: number;
}

/** Slow commands shown. */
const COMMANDS_SHOWN = 3;
/** A command belongs to an occurrence when it ended within these seconds of it. */
const NEAR_SECONDS = 1;
const ARGUMENTS_SHOWN = 4;
/** Minimum number of script runs for advice about barriers, and the minimum share of runs with a barrier. */
const SCRIPT_RUNS_MIN = 100;
const BARRIER_SHARE_MIN = 0.1;
/** Minimum number of refusals of a user within a minute for advice, and the maximum number of users named. */
const REFUSALS_MIN = 100;
const REFUSED_SHOWN = 3;
/** Minimum number of look-ups for advice about the warm tier, and the minimum share of them that went to the disk. */
const TIER_HITS_MIN = 10_000;
const FETCH_SHARE_MIN = 0.2;

export function latencyReport(symptoms: Symptoms): string {
  const { thresholdMs, series } = symptoms;
  const limits = limited(symptoms);
  if (series.length === 0 && thresholdMs === 0) {
    const hint =
      'Latency monitoring is off. Switch it on with CONFIG SET latency-monitor-threshold <milliseconds>.';
    return `${[...limits, hint, ...listed(otherAdvices(symptoms))].join('\n\n')}\n`;
  }
  const worstFirst = [...series].sort((a, b) => b.usMax - a.usMax);
  const [worst] = worstFirst;
  const events =
    worst === undefined
      ? [`No event took ${String(thresholdMs)} ms or longer.`]
      : [
          headline(worst, symptoms.nowMs),
          worstFirst.map((each, nth) => `${String(nth + 1)}. ${summary(each)}`).join('\n'),
          ...commandsNear(worst, symptoms),
        ];
  const paragraphs = [...limits, ...events, circumstances(symptoms).join('\n')];
  const advice = advices(worstFirst, symptoms);
  paragraphs.push(...listed(advice));
  return `${paragraphs.join('\n\n')}\n`;
}

/** Limits of now with their advice, as a paragraph. */
function limited({ limits, nowMs }: Symptoms): readonly string[] {
  if (limits.length === 0) return [];
  const lines = limits.map((finding, nth) => {
    const { cause, message, since_ms: sinceMs, advice, worst, unit } = finding;
    const seconds = Math.max(0, Math.round((nowMs - sinceMs) / 1_000));
    const most = unit === '%' || unit === 'ms' ? `, worst ${String(worst)} ${unit}` : '';
    const line = `${String(nth + 1)}. ${CAUSES[cause].title}: ${printable(message)}`;
    return `${line} (for ${plural(seconds, 'second')}${most}). ${printable(advice)}`;
  });
  return [['Limited now by:', ...lines].join('\n')];
}

/** Advice as a paragraph; none without any. */
function listed(advice: readonly string[]): readonly string[] {
  if (advice.length === 0) return [];
  return [['What to do:', ...advice.map((line) => `- ${line}`)].join('\n')];
}

function headline({ event, usMax, samples }: LatencySeries, nowMs: number): string {
  const first = samples[0]?.unixSeconds ?? 0;
  // The first and the last second are counted as parts.
  const seconds = Math.max(1, samples.length, Math.round(nowMs / 1_000) - first);
  const worst = `The worst event is ${event}: up to ${ms(usMax)}.`;
  if (samples.length >= SAMPLES_MAX) {
    return `${worst} It occurred in more seconds than are kept: the latest ${SAMPLES_MAX} are of the last ${plural(seconds, 'second')}, ${spread(samples)}.`;
  }
  const occurred = plural(samples.length, 'second');
  return `${worst} It occurred in ${occurred} of the last ${plural(seconds, 'second')}, ${spread(samples)}.`;
}

/** Describes whether occurrences come in one burst, or periodically. */
function spread(samples: LatencySeries['samples']): string {
  const times = samples.map(({ unixSeconds }) => unixSeconds);
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 0;
  if (last - first < 2 * times.length) return times.length > 2 ? 'in one burst' : 'close together';
  return `every ${((last - first) / Math.max(1, times.length - 1)).toFixed(0)} s on average`;
}

function summary({ event, count, usSum, usMax, samples, shares }: LatencySeries): string {
  const mean = usSum / count;
  const deviation =
    samples.reduce((sum, { us }) => sum + Math.abs(us - mean), 0) / Math.max(1, samples.length);
  const where = shares.map(
    (share) => `${threadName(share.shard)} ${String(share.count)} (up to ${ms(share.usMax)})`,
  );
  return (
    `${event}: ${plural(count, 'occurrence')}, average ${ms(mean)}, mean deviation ${ms(deviation)}, ` +
    `longest ${ms(usMax)}. By thread: ${where.join(', ')}.`
  );
}

/** The slow commands around the occurrences of an event. */
function commandsNear(
  { event, samples }: LatencySeries,
  { slow, runsOnMain }: Symptoms,
): readonly string[] {
  const near = slow.filter(({ unixMs }) =>
    samples.some(
      ({ unixSeconds }) => Math.abs(Math.floor(unixMs / 1_000) - unixSeconds) <= NEAR_SECONDS,
    ),
  );
  const slowest = [...near].sort((a, b) => b.executeUs - a.executeUs).slice(0, COMMANDS_SHOWN);
  if (slowest.length === 0) return [];
  const lines = slowest.map((entry) => commandLine(entry, runsOnMain));
  return [[`Slow commands around ${event}:`, ...lines].join('\n')];
}

function commandLine(
  { args, executeUs, queueUs, shard, client }: SlowEntry,
  runsOnMain: Symptoms['runsOnMain'],
): string {
  const shown = args.slice(0, ARGUMENTS_SHOWN).map((arg) => printable(latin1(arg)));
  const more = args.length > ARGUMENTS_SHOWN ? ' ...' : '';
  const waited = queueUs > 0 ? `, queued for ${ms(queueUs)} before` : '';
  const isGathered = shard === MAIN_THREAD && !runsOnMain(shown[0] ?? '');
  const where = isGathered ? 'over all shards' : `on ${threadName(shard)}`;
  return `  ${shown.join(' ')}${more}: ${ms(executeUs)} ${where}${waited}, from ${client.address}`;
}

/** Replaces characters that are not printable ASCII. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}

function circumstances(symptoms: Symptoms): readonly string[] {
  const { main, shards, queueUsP99, baselineUsMax, missingShards, stuckShards } = symptoms;
  const queues = queueUsP99.map((us, shard) => `${threadName(shard)} ${ms(us)}`);
  const lines = [
    `Main thread: event loop late by up to ${ms(main.loopUsMax)} (99 %: ${ms(main.loopUsP99)}); ` +
      `${collections(main)}.`,
    ...shards.map(
      (pauses, shard) =>
        `${threadName(shard)}: rounds of up to ${ms(pauses.loopUsMax)} (99 %: ${ms(pauses.loopUsP99)}); ` +
        `${collections(pauses)}.`,
    ),
    `Waiting for a shard, 99 % of requests at most: ${queues.join(', ')}.`,
  ];
  if (baselineUsMax !== undefined) {
    lines.push(`The machine itself causes pauses of up to ${ms(baselineUsMax)}.`);
  }
  const late = missingShards.filter((shard) => !stuckShards.includes(shard));
  const stuck = missingShards.filter((shard) => stuckShards.includes(shard));
  if (stuck.length > 0) {
    lines.push(
      `No reply from ${stuck.map(threadName).join(', ')}, executing one command: the latest slow commands there are missing here.`,
    );
  }
  if (late.length > 0) {
    lines.push(
      `No reply in time from ${late.map(threadName).join(', ')}: the latest slow commands there are missing here.`,
    );
  }
  return lines;
}

function advices(series: readonly LatencySeries[], symptoms: Symptoms): readonly string[] {
  const { thresholdMs, slowerThanUs, queueUsP99, baselineUsMax, facts } = symptoms;
  const limitUs = Math.max(thresholdMs, 1) * 1_000;
  const hasCommands = series.some(({ event }) => event === 'command');
  const isLogBlind = hasCommands && (slowerThanUs < 0 || slowerThanUs > limitUs);
  const own = series.filter((each) => !isOfMachine(each, symptoms));
  const checks: readonly (readonly [applies: boolean, advice: string])[] = [
    [
      own.length < series.length,
      `Threads had too little processor time when ${series
        .filter((each) => !own.includes(each))
        .map(({ event }) => event)
        .join(
          ', ',
        )} took longest: its time includes waiting for a processor. Give the server more processor time before anything else.`,
    ],
    [
      isLogBlind,
      `The slow log does not record these commands: CONFIG SET slowlog-log-slower-than ${String(limitUs)}.`,
    ],
    ...threadChecks(limitUs, symptoms),
    [
      isUneven(queueUsP99),
      'One shard has much longer queues than the others: its keys are used more, or its commands are slower. Split hot keys, and do not put everything under one {tag}.',
    ],
    [
      baselineUsMax !== undefined && baselineUsMax >= limitUs,
      'The machine itself causes pauses of this length: look for noisy neighbours, power saving and swapping.',
    ],
  ];
  return [
    ...own.flatMap(({ event }) => eventAdvice(event, facts)),
    ...checks.filter(([applies]) => applies).map(([, advice]) => advice),
    ...otherAdvices(symptoms),
  ];
}

/** Findings about the pauses of threads; those of a time without processor time are the machine's. */
function threadChecks(
  limitUs: number,
  { main, shards, starved }: Symptoms,
): readonly (readonly [applies: boolean, advice: string])[] {
  const wasStarved = starved.length > 0;
  return [
    [
      main.collectionUsMax >= limitUs && !wasStarved,
      'Garbage collection stops the main thread: large replies and many connections create garbage there; request smaller ranges.',
    ],
    [
      shards.some(({ collectionUsMax }) => collectionUsMax >= limitUs) && !wasStarved,
      'Garbage collection stops a shard: large collections and long replies are objects on its heap; split big keys and request smaller ranges.',
    ],
    [
      main.loopUsMax >= limitUs && main.collectionUsMax < limitUs,
      wasStarved
        ? 'The event loop of the main thread was late: threads had too little processor time (see the events of the machine).'
        : 'The event loop of the main thread is late although it had processor time: it serves large reports (CLIENT LIST, INFO everything) or long replies too often.',
    ],
  ];
}

/** Seconds before and after a time without processor time in which what is late belongs to it. */
const STARVED_SLACK_MS = 6_000;

/** True when the longest occurrence of an event lies in a time in which threads had too little processor time. */
function isOfMachine({ samples }: LatencySeries, { starved }: Symptoms): boolean {
  const [longest] = [...samples].sort((a, b) => b.us - a.us);
  if (longest === undefined) return false;
  const atMs = longest.unixSeconds * 1_000;
  return starved.some(
    ({ fromMs, toMs }) => atMs >= fromMs - STARVED_SLACK_MS && atMs <= toMs + STARVED_SLACK_MS,
  );
}

/** Advice that needs no recorded event. */
function otherAdvices({ scripts, refused, tier }: Symptoms): readonly string[] {
  return [...scriptAdvices(scripts), ...limitAdvices(refused), ...tierAdvices(tier)];
}

/** Advice if memory is too small for the working set. */
function tierAdvices({ hits, fetches, workingSetBytes, limitBytes }: Symptoms['tier']): string[] {
  const isThrashing =
    hits >= TIER_HITS_MIN && fetches > hits * FETCH_SHARE_MIN && workingSetBytes > limitBytes;
  if (!isThrashing) return [];
  const percent = ((100 * fetches) / hits).toFixed(0);
  const mib = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MiB`;
  return [
    `Memory is too small for the working set: ${percent} % of all look-ups went to the warm tier's disk. About ${mib(workingSetBytes)} would hold 99 % of them, and maxmemory is ${mib(limitBytes)}.`,
  ];
}

/** Advice where rate limits refuse much. */
function limitAdvices(refused: Symptoms['refused']): readonly string[] {
  return refused
    .filter((each) => each.refused >= REFUSALS_MIN)
    .slice(0, REFUSED_SHOWN)
    .map(({ user, refused: count }) => {
      const name = printable(user);
      return `The rate limit of user ${name} has refused ${String(count)} commands within the last minute: its clients fail or retry. Raise the limit (ACL SETUSER ${name} ratelimit:cps=N or ratelimit:bps=N), or reduce their load; ACL STATS and /debug/api/users show the load of each user.`;
    });
}

/** Advice where scripts often stop all shards. */
function scriptAdvices({ runs, barriers }: Symptoms['scripts']): readonly string[] {
  if (runs < SCRIPT_RUNS_MIN || barriers < BARRIER_SHARE_MIN * runs) return [];
  const share = Math.min(100, Math.round((100 * barriers) / runs));
  return [
    `All shards had to stop for ${String(share)} % of the scripts and functions; SCRIPT STATS and /debug/api/scripts show which take the time. If scripts are most of the load, run one shard (server.shards = 1), which needs no stop. With several, give the keys of a script one {hash tag}, and write its calls out with their keys as KEYS[n], as in redis.call('GET', KEYS[1]): such a script needs one shard alone.`,
  ];
}

function collections({ collections: count, collectionUs, collectionUsMax }: PauseReport): string {
  const all = plural(count, 'garbage collection');
  return count === 0
    ? all
    : `${all}, ${ms(collectionUs)} together, the longest ${ms(collectionUsMax)}`;
}

/** True when one shard's requests wait ten times as long as the median shard's, and noticeably. */
function isUneven(queueUsP99: readonly number[]): boolean {
  const sorted = [...queueUsP99].sort((a, b) => a - b);
  const most = sorted.at(-1) ?? 0;
  const median = sorted[(sorted.length - 1) >> 1] ?? 0;
  return sorted.length > 1 && most >= 1_000 && most >= 10 * median;
}

function threadName(shard: number): string {
  return shard === MAIN_THREAD ? 'main' : `shard ${String(shard)}`;
}

function ms(us: number): string {
  return us < 10_000 ? `${(us / 1_000).toFixed(2)} ms` : `${(us / 1_000).toFixed(0)} ms`;
}

function plural(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`;
}
