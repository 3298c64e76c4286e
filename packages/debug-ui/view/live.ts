/**
 * The one poll that all pages live on: once a second while the page is seen, not at all while it is hidden,
 * slower while the server does not answer.
 */

import { useEffect, useState } from 'preact/hooks';
import type { Live, Status } from '../model/api.ts';
import { History } from '../model/history.ts';
import { get, messageOf } from './browser.ts';

const PERIOD_MS = 1_000;
const RETRY_MS_MAX = 8_000;

export interface LiveState {
  readonly status: Status | null;
  readonly history: History;
  readonly thresholdsMs: readonly number[];
  /** Why there is nothing new; null while all is well. */
  readonly problem: string | null;
  readonly isPaused: boolean;
}

type Listener = (state: LiveState) => void;

class LiveSource {
  state: LiveState = {
    ...{ status: null, history: new History(), thresholdsMs: [] },
    ...{ problem: null, isPaused: false },
  };
  readonly #listeners = new Set<Listener>();
  #timer = 0;
  #isAsking = false;
  #retryMs = PERIOD_MS;

  start(): void {
    document.addEventListener('visibilitychange', () => {
      this.#goOn();
    });
    void this.#ask();
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  setPaused(isPaused: boolean): void {
    this.#tell({ isPaused });
    this.#goOn();
  }

  #goOn(): void {
    clearTimeout(this.#timer);
    if (this.#mayAsk()) void this.#ask();
  }

  #mayAsk(): boolean {
    return !document.hidden && !this.state.isPaused;
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    clearTimeout(this.#timer);
    this.#isAsking = true;
    try {
      const { history } = this.state;
      const live = await get<Live>(`/debug/api/live?since=${history.since}`);
      history.add(live.boot, live.samples);
      this.#retryMs = PERIOD_MS;
      this.#tell({ status: live.status, thresholdsMs: live.band_thresholds_ms, problem: null });
    } catch (error) {
      this.#retryMs = Math.min(RETRY_MS_MAX, this.#retryMs * 2);
      this.#tell({ problem: messageOf(error) });
    }
    this.#isAsking = false;
    if (this.#mayAsk()) this.#timer = window.setTimeout(() => void this.#ask(), this.#retryMs);
  }

  #tell(change: Partial<LiveState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) listener(this.state);
  }
}

export const liveSource = new LiveSource();

export function useLive(): LiveState {
  const [state, setState] = useState(liveSource.state);
  useEffect(() => {
    setState(liveSource.state);
    return liveSource.subscribe(setState);
  }, []);
  return state;
}

export interface Polled<T> {
  readonly data: T | null;
  readonly problem: string | null;
  /** Asks at once. */
  readonly again: () => void;
}

/** A document asked for every `periodMs` while the page is seen and not paused; 0 asks once. */
export function usePolled<T>(path: string | null, periodMs: number): Polled<T> {
  const [data, setData] = useState<T | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === null) return;
    let isGone = false;
    let timer = 0;
    const ask = async (): Promise<void> => {
      if (!document.hidden && !liveSource.state.isPaused) {
        try {
          const answer = await get<T>(path);
          if (isGone) return;
          setData(answer);
          setProblem(null);
        } catch (error) {
          if (isGone) return;
          setProblem(messageOf(error));
        }
      }
      // It may have ended while the answer was under way.
      if (!isGone && periodMs > 0) timer = window.setTimeout(() => void ask(), periodMs);
    };
    void ask();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [path, periodMs, round]);
  return { data, problem, again: () => setRound((value) => value + 1) };
}
