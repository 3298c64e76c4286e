/**
 * Documents that are asked for again and again while somebody looks: once for all panels that show one, not at all
 * while the page is hidden or paused, and less often while the server does not answer.
 */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Reading } from '../model/freshness.ts';
import { failureOf, get, wallMs, type Tagged } from './browser.ts';

const RETRY_MS = 1_000;
const RETRY_MS_MAX = 8_000;
/** An answer that takes longer than its period and this is overdue. */
const PATIENCE_MS = 1_500;

/** Reading of a document, and a function that requests it immediately. */
export interface Polled<T> extends Reading<T> {
  /** Resolves when a reply to a later request than this call has arrived, or the request has failed. */
  readonly again: () => Promise<void>;
}

const active = new Set<Source<unknown>>();
const pauseListeners = new Set<() => void>();
let isPaused = false;

document.addEventListener('visibilitychange', () => {
  for (const source of active) source.goOn();
});

/** Pauses or resumes all polling. */
export function setPaused(wanted: boolean): void {
  isPaused = wanted;
  for (const source of active) source.goOn();
  for (const listener of pauseListeners) listener();
}

export function usePaused(): boolean {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = (): void => redraw((round) => round + 1);
    pauseListeners.add(listener);
    return () => void pauseListeners.delete(listener);
  }, []);
  return isPaused;
}

export class Source<T> {
  #data: T | null = null;
  #answeredMs: number | null = null;
  #failure: Reading['failure'] = null;
  #isOverdue = false;
  readonly #ask: () => Promise<T>;
  /** Listeners with their periods; 0 wants one answer only. */
  readonly #listeners = new Map<() => void, number>();
  #asking: Promise<void> | null = null;
  #timer = 0;
  #overdueTimer = 0;
  #retryMs = RETRY_MS;

  readonly #left: () => void;

  /** `left` is called when the last subscriber has left. */
  constructor(ask: () => Promise<T>, left: () => void = () => undefined) {
    this.#ask = ask;
    this.#left = left;
  }

  get reading(): Polled<T> {
    return {
      data: this.#data,
      answeredMs: this.#answeredMs,
      failure: this.#failure,
      isOverdue: this.#isOverdue,
      isPaused,
      again: () => this.again(),
    };
  }

  /** Subscribes a listener; returns the function that unsubscribes it. */
  subscribe(listener: () => void, periodMs: number): () => void {
    this.#listeners.set(listener, periodMs);
    active.add(this);
    if (this.#listeners.size === 1 || this.#asking === null) this.goOn();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      active.delete(this);
      clearTimeout(this.#timer);
      clearTimeout(this.#overdueTimer);
      this.#left();
    };
  }

  /** Polls immediately if there are subscribers, since shown data may be old. */
  goOn(): void {
    clearTimeout(this.#timer);
    const periodMs = this.#periodMs();
    const ageMs = wallMs() - (this.#answeredMs ?? wallMs());
    if (periodMs > 0 && ageMs > periodMs + PATIENCE_MS) this.#isOverdue = true;
    if (this.#mayAsk()) void this.#asked();
    else clearTimeout(this.#overdueTimer);
    this.#tell();
  }

  /** Polls again if there are subscribers, after any request in progress. */
  async refresh(): Promise<void> {
    await this.#asking;
    this.goOn();
  }

  async again(): Promise<void> {
    // A request in progress may have been served before the change.
    await this.#asking;
    await this.#asked();
  }

  #mayAsk(): boolean {
    const isWanted = this.#data === null || this.#failure !== null || this.#periodMs() > 0;
    return this.#listeners.size > 0 && isWanted && !document.hidden && !isPaused;
  }

  /** The shortest of those asked for; 0 when one answer is enough for all. */
  #periodMs(): number {
    const periods = [...this.#listeners.values()].filter((periodMs) => periodMs > 0);
    return periods.length === 0 ? 0 : Math.min(...periods);
  }

  #asked(): Promise<void> {
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = null;
      if (this.#mayAsk()) this.#timer = window.setTimeout(() => void this.#asked(), this.#waitMs());
    });
    return this.#asking;
  }

  #waitMs(): number {
    return this.#failure === null ? this.#periodMs() : this.#retryMs;
  }

  async #askOnce(): Promise<void> {
    clearTimeout(this.#timer);
    this.#watch(PATIENCE_MS);
    try {
      this.#data = await this.#ask();
      this.#answeredMs = wallMs();
      this.#failure = null;
      this.#isOverdue = false;
      this.#retryMs = RETRY_MS;
      this.#watch(this.#periodMs() === 0 ? 0 : this.#periodMs() + PATIENCE_MS);
    } catch (error) {
      this.#failure = failureOf(error);
      this.#retryMs = Math.min(RETRY_MS_MAX, this.#retryMs * 2);
    }
    this.#tell();
  }

  /** Marks the data as overdue unless a reply arrives within `afterMs`; 0 disables that. */
  #watch(afterMs: number): void {
    clearTimeout(this.#overdueTimer);
    if (afterMs === 0) return;
    this.#overdueTimer = window.setTimeout(() => {
      if (isPaused) return;
      this.#isOverdue = true;
      this.#tell();
    }, afterMs);
  }

  #tell(): void {
    for (const listener of this.#listeners.keys()) listener();
  }
}

const documents = new Map<string, Source<unknown>>();

/** All who show the same path share its answers. */
function documentAt<T>(path: string): Source<T> {
  const shared = documents.get(path) as Source<T> | undefined;
  if (shared !== undefined) return shared;
  let before: Tagged<T> | null = null;
  const ask = async (): Promise<T> => {
    before = await get<T>(path, before);
    return before.body;
  };
  const source = new Source<T>(ask, () => {
    if (documents.get(path) === source) documents.delete(path);
  });
  documents.set(path, source);
  return source;
}

/**
 * Returns the reading of a source, asked for every `periodMs` while the page is visible and not paused; 0 asks once.
 */
export function useSource<T>(source: Source<T>, periodMs: number): Polled<T> {
  const [, redraw] = useState(0);
  useEffect(
    () => source.subscribe(() => redraw((round) => round + 1), periodMs),
    [source, periodMs],
  );
  return source.reading;
}

/** Polls a document of the debug API every `periodMs`; 0 requests it once. */
export function usePolled<T>(path: string, periodMs: number): Polled<T> {
  // Kept while it is shown: a component that unsubscribes may subscribe again a moment later.
  const source = useMemo(() => documentAt<T>(path), [path]);
  return useSource(source, periodMs);
}
