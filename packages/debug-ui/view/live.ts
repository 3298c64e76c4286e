/** The document that all pages live on: who the server is, how it fares, and what the page's charts draw. */

import { useEffect } from 'preact/hooks';
import type { Live } from '../model/api.ts';
import { History } from '../model/history.ts';
import { get } from './browser.ts';
import { Source, useSource, type Polled } from './source.ts';

const PERIOD_MS = 1_000;
/** Query of pages that draw no samples. */
const NOTHING = 'with=';

export interface LiveState extends Pick<Live, 'status' | 'shards' | 'bands'> {
  /** View that was asked for, as the query of /debug/api/live names it. */
  readonly view: string;
  readonly history: History;
}

class LiveSource {
  readonly source = new Source<LiveState>(() => this.#ask());
  /** Histories by view: kept so that only newer samples are fetched when a view is drawn again. */
  readonly #histories = new Map<string, History>();
  #view = NOTHING;
  #isChanging = false;

  /** Says what is drawn from now on. */
  show(view: string): void {
    this.#view = view;
    if (this.#isChanging) return;
    this.#isChanging = true;
    // A page that is left and the one that follows are one change.
    queueMicrotask(() => {
      this.#isChanging = false;
      void this.source.refresh();
    });
  }

  async #ask(): Promise<LiveState> {
    // At the start the page says in the same turn what it draws.
    await Promise.resolve();
    const view = this.#view;
    const history = this.#histories.get(view) ?? new History();
    this.#histories.set(view, history);
    const { body } = await get<Live>(`/debug/api/live?since=${history.since}&${view}`);
    history.add(body.boot, body.samples);
    const { status, shards, bands } = body;
    return { view, status, shards, history, bands };
  }
}

const live = new LiveSource();

/** Returns the live state, which every page has. */
export function useLive(): Polled<LiveState> {
  return useSource(live.source, PERIOD_MS);
}

/** The same with what `view` asks for, once that is there. */
export function useLiveView(view: string): Polled<LiveState> {
  const polled = useLive();
  useEffect(() => {
    live.show(view);
    return () => live.show(NOTHING);
  }, [view]);
  return polled.data?.view === view ? polled : { ...polled, data: null, answeredMs: null };
}
