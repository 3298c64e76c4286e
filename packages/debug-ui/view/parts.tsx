/** Small pieces that all pages are made of. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import {
  asOf,
  badgeOf,
  freshnessOf,
  placeholderOf,
  worstOf,
  type Freshness,
  type Reading,
} from '../model/freshness.ts';
import { missingText } from '../model/missing-shards.ts';
import { messageOf } from './browser.ts';

interface PanelProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Sources shown in the panel: it shows whether they are current, and a placeholder until there is data. */
  readonly source?: Reading | readonly Reading[];
  /** Content at the right of the title. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
}

let panels = 0;

export function Panel(props: PanelProps): JSX.Element {
  const [id] = useState(() => `panel-${(panels += 1)}`);
  const sources = [props.source ?? []].flat();
  const reading = sources.length === 0 ? null : worstOf(sources);
  const freshness = reading === null ? 'fresh' : freshnessOf(reading);
  return (
    <section
      class={`panel ${props.class ?? ''}`}
      aria-labelledby={id}
      aria-busy={freshness === 'waiting'}
      data-freshness={freshness}
    >
      <header>
        <h2 id={id}>{props.title}</h2>
        {reading !== null && <Age reading={reading} />}
        {props.aside !== undefined && <div class="aside">{props.aside}</div>}
      </header>
      {reading?.data === null ? (
        <p class="empty" role={freshness === 'refused' ? 'alert' : undefined}>
          {placeholderOf(reading)}
        </p>
      ) : (
        <div class="content">{props.children}</div>
      )}
    </section>
  );
}

/** Shows that the data is not current, with its time. */
function Age({ reading }: { readonly reading: Reading }): JSX.Element | null {
  const freshness = freshnessOf(reading);
  if (freshness === 'fresh') return null;
  const why = freshness === 'refused' ? (reading.failure?.message ?? '') : badgeOf(freshness);
  return (
    <span class="age">
      <Badge tone={TONES[freshness]} text={why} /> {asOf(reading)}
    </span>
  );
}

export const TONES: Readonly<Record<Freshness, string>> = {
  fresh: 'good',
  paused: 'plain',
  waiting: 'plain',
  stale: 'warn',
  refused: 'warn',
  unreachable: 'bad',
  forbidden: 'bad',
};

interface FactProps {
  readonly label: string;
  readonly value: string;
  readonly note?: string | undefined;
  readonly tone?: 'good' | 'warn' | 'bad' | undefined;
}

/** One number with its name. */
export function Fact({ label, value, note, tone }: FactProps): JSX.Element {
  return (
    <div class="fact">
      <dt>{label}</dt>
      <dd class={tone}>
        {value}
        {note !== undefined && <small>{note}</small>}
      </dd>
    </div>
  );
}

/** A bar that shows a share; its number is written beside it. */
export function Bar(props: { readonly percent: number; readonly tone?: string }): JSX.Element {
  const width = `${Math.max(0, Math.min(100, props.percent))}%`;
  return (
    <span class="bar" aria-hidden="true">
      <i class={props.tone} style={{ width }} />
    </span>
  );
}

export function Badge(props: { readonly tone: string; readonly text: string }): JSX.Element {
  return <span class={`badge ${props.tone}`}>{props.text}</span>;
}

/** Error message, which screen readers announce immediately. */
export function Problem({ text }: { readonly text: string | null }): JSX.Element {
  return (
    <div role="alert" class="problem-place">
      {text !== null && <p class="problem">{text}</p>}
    </div>
  );
}

interface MissingShardsProps {
  readonly shards: readonly number[] | undefined;
  /** Part of the list that is missing, as in `its runs`. */
  readonly missing: string;
}

/** Names the shards that did not reply in time, so that a gathered list is not taken as complete. */
export function MissingShards({ shards = [], missing }: MissingShardsProps): JSX.Element | null {
  if (shards.length === 0) return null;
  return <p class="issue warn">{missingText(shards, missing)}</p>;
}

/** Shows politely that something has been done. */
export function Done({ text }: { readonly text: string }): JSX.Element {
  return (
    <p role="status" class="done">
      {text}
    </p>
  );
}

interface Doing {
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly done: string;
  /** Runs an action, and keeps its outcome; `done` returns the text of a success. */
  readonly run: (work: () => Promise<string>) => void;
}

/** For buttons: at most one thing at a time, its failure kept to be shown. */
export function useDoing(): Doing {
  const [state, setState] = useState({ isBusy: false, problem: null as string | null, done: '' });
  const run = (work: () => Promise<string>): void => {
    if (state.isBusy) return;
    setState({ isBusy: true, problem: null, done: '' });
    work().then(
      (done) => setState({ isBusy: false, problem: null, done }),
      (error: unknown) => setState({ isBusy: false, problem: messageOf(error), done: '' }),
    );
  };
  return { ...state, run };
}

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  readonly confirm: () => void;
  readonly close: () => void;
}

/** Asks before something that cannot be undone. The way out has the focus. */
export function Confirm(props: ConfirmProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => opener?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={props.close}>
      <h2 id="confirm-title">{props.title}</h2>
      {props.children}
      <div class="buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            props.confirm();
            dialog.current?.close();
          }}
        >
          {props.action}
        </button>
      </div>
    </dialog>
  );
}

const FILTER_CHARS = 24;

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

export function Filter({ label, value, change }: FilterProps): JSX.Element {
  return (
    <input
      type="search"
      class="filter"
      // Wide enough for its placeholder.
      size={Math.max(FILTER_CHARS, label.length)}
      aria-label={label}
      placeholder={label}
      value={value}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}
