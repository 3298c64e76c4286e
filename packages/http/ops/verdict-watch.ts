/**
 * Judges what limits the server and how healthy it is, about twice a second, from shared memory: also while main or a
 * shard is stuck. Publishes the verdict for all threads, and logs each change.
 */

import { PacedTimer, systemClock } from '#base';
import {
  CAUSES,
  currentLimits,
  type Episode,
  issueEpisodes,
  issueName,
  type Judged,
  type JudgedIssue,
  judgeLimits,
  limitEpisodes,
  recentIssues,
  sinceMs,
  STARVED_TIMES_MAX,
  STUCK_US,
  type StarvedTime,
  type VerdictReport,
} from '#stats';
import { type SharedMemory, SharedReport } from '#link';
import { FactReader, healthNow, type HealthOptions, type Observer, SAMPLE_MS } from '#observer';
import type { VerdictFigures } from '#telemetry';
import type { MainClient } from './main-client.ts';

/** Between two readings. */
const READ_MS = 500;
/** Longest wait for main's answer about the ids of clients. */
const CLIENT_IDS_MS_MAX = 200;

const STUCK_CODES: ReadonlySet<string> = new Set(['MAIN_STUCK', 'FRONT_STUCK', 'SHARD_STUCK']);

interface Moment {
  readonly nowUs: number;
  readonly wallMs: number;
}

interface VerdictWatchOptions {
  readonly observer: Observer;
  readonly memory: SharedMemory;
  readonly health: () => Omit<HealthOptions, 'nowUs' | 'wallMs'>;
  readonly mainClient: Pick<MainClient, 'ask'>;
  log(level: 'info' | 'warn', event: string, message: string): void;
}

export class VerdictWatch {
  readonly #options: VerdictWatchOptions;
  readonly #facts: FactReader;
  readonly #shared: SharedReport;
  readonly #sampling: PacedTimer;
  readonly #reading: PacedTimer;
  readonly #limits = limitEpisodes();
  readonly #issues = issueEpisodes();
  /** Ids of clients by main's slot, as of the last answer. */
  #clientIds: ReadonlyMap<number, number | null> = new Map();
  /** Slots of clients that the last facts are about. */
  readonly #wantedSlots = new Set<number>();
  #isAsking = false;
  /** Time for which each thread was stuck. */
  readonly #stalledUs = new Map<string, number>();
  #lookedUs = 0;
  #commands = 0;
  #recent: readonly JudgedIssue[] = [];
  /** Ended times in which threads had too little processor time. */
  readonly #starved: StarvedTime[] = [];

  constructor(options: VerdictWatchOptions) {
    this.#options = options;
    this.#shared = new SharedReport(options.memory);
    this.#facts = new FactReader({
      observer: options.observer,
      settings: () => options.health().settings,
      clientId: (slot) => {
        this.#wantedSlots.add(slot);
        return this.#clientIds.get(slot) ?? null;
      },
    });
    this.#sampling = new PacedTimer(SAMPLE_MS, () => {
      if (this.#facts.sample(systemClock.nowUs())) this.#sampling.worked();
    });
    this.#reading = new PacedTimer(READ_MS, () => {
      this.look();
    });
  }

  start(): void {
    this.#sampling.start();
    this.#reading.start();
  }

  stop(): void {
    this.#sampling.stop();
    this.#reading.stop();
    this.#facts.close();
  }

  /** Figures for metrics. */
  get figures(): VerdictFigures {
    const { threadTimes, room } = this.#facts;
    return { threadTimes, stalledUs: this.#stalledUs, room };
  }

  /** Takes a reading, judges it, and publishes the verdict. */
  look(): void {
    const nowUs = systemClock.nowUs();
    const wallMs = systemClock.wallMs();
    this.#pace();
    const facts = this.#facts.read(nowUs, wallMs);
    this.#askForClients();
    if (facts === undefined) return;
    const health = this.#options.health();
    const limits = this.#limits.take(judgeLimits(facts), nowUs);
    this.#recent = recentIssues(facts, health.settings.limits);
    const { issues } = healthNow({ ...health, nowUs, wallMs, recentIssues: this.#recent });
    this.#countStalls(issues, nowUs);
    const changed = this.#issues.take(issues, nowUs);
    this.#noteStarved(limits.ended, { nowUs, wallMs });
    this.#publish({ nowUs, wallMs });
    for (const episode of limits.began) this.#logLimit(episode, true);
    for (const episode of limits.ended) this.#logLimit(episode, false);
    for (const episode of changed.began) this.#logIssue(episode, true);
    for (const episode of changed.ended) this.#logIssue(episode, false);
  }

  /** Readings follow closely while commands are run, or something limits the server. */
  #pace(): void {
    const { main, shards } = this.#options.observer;
    const commands = shards.reduce((sum, page) => sum + page.get('commands'), main.get('commands'));
    if (commands !== this.#commands) this.#sampling.worked();
    if (commands !== this.#commands || this.#limits.current.length > 0) this.#reading.worked();
    this.#commands = commands;
  }

  /** Asks main for the clients that the facts are about, for the next reading. */
  #askForClients(): void {
    const slots = [...this.#wantedSlots];
    this.#wantedSlots.clear();
    if (slots.length === 0) this.#clientIds = new Map();
    if (this.#isAsking || slots.length === 0) return;
    this.#isAsking = true;
    this.#options.mainClient
      .ask('client-ids', slots, CLIENT_IDS_MS_MAX)
      .then((ids) => {
        this.#clientIds = new Map(slots.map((slot, index) => [slot, ids[index] ?? null]));
      })
      // A main that is stuck has no time for it: what is known stays.
      .catch(() => undefined)
      .finally(() => {
        this.#isAsking = false;
      });
  }

  /** Adds the time since the last look to threads that are stuck; the first second of a stall is known by its issue. */
  #countStalls(issues: readonly JudgedIssue[], nowUs: number): void {
    const passedUs = nowUs - this.#lookedUs;
    this.#lookedUs = nowUs;
    const before = new Set(this.#issues.current.map(({ thing }) => issueName(thing)));
    for (const issue of issues) {
      if (!STUCK_CODES.has(issue.code) || issue.object === null) continue;
      const thread = issue.object.replace(' ', '-');
      const us = before.has(issueName(issue)) ? passedUs : STUCK_US;
      this.#stalledUs.set(thread, (this.#stalledUs.get(thread) ?? 0) + us);
    }
  }

  #noteStarved(ended: readonly Episode<Judged>[], moment: Moment): void {
    const times = ended.filter(isStarvation).map((episode) => timeOf(episode, moment));
    this.#starved.push(...times);
    this.#starved.splice(0, Math.max(0, this.#starved.length - STARVED_TIMES_MAX));
  }

  #publish(moment: Moment): void {
    const current = this.#limits.current.filter(isStarvation);
    const since = this.#issues.current.map(
      (episode) => [issueName(episode.thing), sinceMs(episode, moment)] as const,
    );
    const report: VerdictReport = {
      limited_by: currentLimits(this.#limits, moment),
      issues: this.#recent,
      since: Object.fromEntries(since),
      starved: [...this.#starved, ...current.map((episode) => timeOf(episode, moment))],
    };
    this.#shared.publish(Buffer.from(JSON.stringify(report)));
  }

  #logLimit({ thing, sinceUs, seenUs, worst }: Episode<Judged>, isBegin: boolean): void {
    const { title } = CAUSES[thing.cause];
    if (isBegin) {
      this.#options.log('warn', 'limit-began', `Limited by ${title}: ${thing.message}`);
      return;
    }
    const of = thing.object === null ? '' : ` (${thing.object})`;
    const message = `No longer limited by ${title}${of} after ${secondsOf(seenUs - sinceUs)}; worst ${String(worst)} ${thing.unit}`;
    this.#options.log('info', 'limit-ended', message);
  }

  #logIssue({ thing, sinceUs, seenUs, worst }: Episode<JudgedIssue>, isBegin: boolean): void {
    const { code, object, unit } = thing;
    // Start and stop have their own lines.
    if (code === 'NOT_READY') return;
    if (isBegin) {
      this.#options.log('warn', 'health-changed', `Health: ${code}: ${thing.message}`);
      return;
    }
    const of = object === null ? '' : ` (${object})`;
    const most = worst === null ? '' : `; worst ${worst} ${unit ?? ''}`;
    const message = `Health: ${code}${of} ended after ${secondsOf(seenUs - sinceUs)}${most}`;
    this.#options.log('info', 'health-changed', message);
  }
}

function isStarvation({ thing }: Episode<Judged>): boolean {
  return thing.cause === 'machine';
}

function timeOf(episode: Episode<Judged>, moment: Moment): StarvedTime {
  const toMs = Math.round(moment.wallMs - (moment.nowUs - episode.seenUs) / 1_000);
  return { fromMs: sinceMs(episode, moment), toMs };
}

function secondsOf(us: number): string {
  return `${(us / 1_000_000).toFixed(1)} s`;
}
