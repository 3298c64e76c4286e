/** The frame around every page: who the server is, how it fares, and where one can go. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { LiveStatus } from '../model/api.ts';
import { age, counted } from '../model/format.ts';
import {
  asOf,
  badgeOf,
  capital,
  freshnessOf,
  type Freshness,
  type Reading,
} from '../model/freshness.ts';
import { useLive, type LiveState } from './live.ts';
import { Badge, TONES } from './parts.tsx';
import { currentPlace, opened, PLACES, type OpenPlace } from './places.tsx';
import { setPaused, usePaused } from './source.ts';
import { useReadOnlyReason, useSession } from './scope.tsx';
import { nextTheme, useTheme } from './theme.ts';
import { toggleUtc, useUtc } from './time-zone.ts';

const HEALTH_TONES = { healthy: 'good', degraded: 'warn', unhealthy: 'bad' } as const;

/** Begins with the place that is open first. */
export function App({ first }: { readonly first: OpenPlace }): JSX.Element {
  const { place, Page } = useOpenPlace(first);
  const live = useLive();
  // All times of the page are shown again.
  const isUtc = useUtc();
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${place.title} · svc ${location.host}`;
    // On a phone the pages' names are a row that is longer than the screen is wide.
    showInRow(document.querySelector('nav a[aria-current]'));
    // Screen readers announce the page that the link has opened.
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [place]);
  return (
    <>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          heading.current?.focus();
        }}
      >
        Skip to content
      </a>
      <Top live={live} isUtc={isUtc} />
      <nav aria-label="Pages">
        <ul>
          {PLACES.map(({ name, title }) => (
            <li key={name}>
              <a href={`#/${name}`} aria-current={name === place.name ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content">
        <h1 ref={heading} tabIndex={-1}>
          {place.title}
        </h1>
        <Notice live={live} />
        <Page key={place.name} />
      </main>
    </>
  );
}

interface TopProps {
  readonly live: Reading<LiveState>;
  readonly isUtc: boolean;
}

function Top({ live, isUtc }: TopProps): JSX.Element {
  const isPaused = usePaused();
  const { chosen } = useTheme();
  const freshness = freshnessOf(live);
  return (
    <header class="top">
      <strong class="brand">svc</strong>
      <span class="mono faint host">{location.host}</span>
      <span class="state" aria-live="polite">
        {freshness === 'fresh' && live.data !== null ? (
          <Badge {...healthBadge(live.data)} />
        ) : (
          <Badge tone={TONES[freshness]} text={badgeOf(freshness)} />
        )}
      </span>
      {live.data !== null && <Identity status={live.data.status} freshness={freshness} />}
      <span class="tools">
        <ReadOnlyBadge />
        <button
          type="button"
          aria-pressed={isPaused}
          title="Stop and start the updates"
          onClick={() => setPaused(!isPaused)}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <button
          type="button"
          aria-pressed={isUtc}
          title="Times in UTC, or in the zone of this browser"
          onClick={toggleUtc}
        >
          UTC
        </button>
        <button type="button" title="Colours: as the system, light, dark" onClick={nextTheme}>
          Theme: {chosen}
        </button>
        <LogOut />
      </span>
    </header>
  );
}

function healthBadge({ status }: LiveState): { readonly tone: string; readonly text: string } {
  const health = status.health.status;
  return { tone: HEALTH_TONES[health], text: health };
}

interface IdentityProps {
  readonly status: LiveStatus;
  readonly freshness: Freshness;
}

function Identity({ status, freshness }: IdentityProps): JSX.Element {
  const { frogdb, cluster } = status;
  return (
    <span class="faint identity" data-freshness={freshness}>
      {frogdb.version} · {cluster.mode} · {counted(cluster.num_shards, 'shard')} · up{' '}
      {age(frogdb.uptime_secs)} · pid {frogdb.process_id}
    </span>
  );
}

function ReadOnlyBadge(): JSX.Element | null {
  const reason = useReadOnlyReason();
  if (reason === undefined) return null;
  return (
    <span title={reason}>
      <Badge tone="plain" text="read only" />
    </span>
  );
}

/** Only who has logged in can log out. */
function LogOut(): JSX.Element | null {
  const { data } = useSession();
  if (data?.expires_time_ms === undefined || data.expires_time_ms === null) return null;
  return (
    <form method="post" action="/debug/logout">
      <button>Log out</button>
    </form>
  );
}

/** Says once for all panels why they are not of now, and what can be done about it. */
function Notice({ live }: { readonly live: Reading }): JSX.Element {
  const freshness = freshnessOf(live);
  const time = live.answeredMs === null ? '' : ` The data shown is ${asOf(live)}.`;
  const reason = capital(live.failure?.message ?? 'the server does not respond');
  return (
    <div role="alert" class="problem-place">
      {freshness === 'forbidden' && (
        <p class="problem">
          {reason}.{time}{' '}
          <a href={`/debug/login?ended${location.hash}`}>Log in to return to this page</a>
        </p>
      )}
      {['stale', 'unreachable', 'refused'].includes(freshness) && (
        <p class="problem">
          {reason}.{time} Retrying every few seconds.
        </p>
      )}
    </div>
  );
}

/** Scrolls only the row of the link, so that keyboard navigation still starts at the top of the page. */
function showInRow(link: HTMLElement | null): void {
  const row = link?.closest('nav');
  if (!link || !row) return;
  const end = link.offsetLeft + link.offsetWidth;
  row.scrollLeft = Math.min(link.offsetLeft, Math.max(row.scrollLeft, end - row.clientWidth));
}

/** The page that was left stays until the next is loaded. */
function useOpenPlace(first: OpenPlace): OpenPlace {
  const [open, setOpen] = useState(first);
  useEffect(() => {
    const listener = (): void => {
      const place = currentPlace();
      void opened(place).then((next) => {
        if (currentPlace() === place) setOpen(next);
      });
    };
    window.addEventListener('hashchange', listener);
    // The address may have changed while the first page was loaded.
    if (currentPlace() !== first.place) listener();
    return () => window.removeEventListener('hashchange', listener);
  }, []);
  return open;
}
