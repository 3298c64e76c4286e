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

/** A view that a page draws. */
interface Shown {
  readonly view: string;
}

class LiveSource {
  readonly source = new Source<LiveState>(() => this.#ask());
  /** Histories by view: kept so that only newer samples are fetched when a view is drawn again. */
  readonly #histories = new Map<string, History>();
  /** Views that are drawn, the newest last. */
  #views: readonly Shown[] = [];
  #isChanging = false;

  /**
   * Says what is drawn from now on. Answers how to end it, which may be called after the next page has said what it
   * draws: Preact runs the clean-up of a page that was left some time after its removal.
   */
  show(view: string): () => void {
    const shown: Shown = { view };
    this.#change([...this.#views, shown]);
    return () => this.#change(this.#views.filter((each) => each !== shown));
  }

  #change(views: readonly Shown[]): void {
    this.#views = views;
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
    const view = this.#views.at(-1)?.view ?? NOTHING;
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

/** Polls the live document with the data of `view`, once that is available. */
export function useLiveView(view: string): Polled<LiveState> {
  const polled = useLive();
  useEffect(() => live.show(view), [view]);
  return polled.data?.view === view ? polled : { ...polled, data: null, answeredMs: null };
}
