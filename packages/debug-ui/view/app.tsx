/** The frame around every page: who the server is, how it fares, and where one can go. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentType, JSX } from 'preact';
import { age } from '../model/format.ts';
import { liveSource, useLive, type LiveState } from './live.ts';
import { BundlesPage } from './pages/bundles.tsx';
import { ClientsPage } from './pages/clients.tsx';
import { ConfigurationPage } from './pages/configuration.tsx';
import { HotKeysPage } from './pages/hot-keys.tsx';
import { KeyFatesPage } from './pages/key-fates.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PerformancePage } from './pages/performance.tsx';
import { ShardsPage } from './pages/shards.tsx';
import { TracesPage } from './pages/traces.tsx';
import { Badge } from './parts.tsx';
import { nextTheme, useTheme } from './theme.ts';

interface Place {
  readonly name: string;
  readonly title: string;
  readonly page: ComponentType;
}

const PLACES: readonly Place[] = [
  { name: 'overview', title: 'Overview', page: OverviewPage },
  { name: 'performance', title: 'Performance', page: PerformancePage },
  { name: 'hot-keys', title: 'Hot keys', page: HotKeysPage },
  { name: 'key-fates', title: 'Key fates', page: KeyFatesPage },
  { name: 'shards', title: 'Shards', page: ShardsPage },
  { name: 'clients', title: 'Clients', page: ClientsPage },
  { name: 'configuration', title: 'Configuration', page: ConfigurationPage },
  { name: 'traces', title: 'Traces', page: TracesPage },
  { name: 'bundles', title: 'Bundles', page: BundlesPage },
];

const TONES = { healthy: 'good', degraded: 'warn', unhealthy: 'bad' } as const;

export function App(): JSX.Element {
  const place = usePlace();
  const live = useLive();
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${place.title} · svc ${location.host}`;
    // On a phone the pages' names are a row that is longer than the screen is wide.
    document.querySelector('nav a[aria-current]')?.scrollIntoView({ block: 'nearest' });
    // Whoever hears the page is told where the link has led.
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [place]);
  const Page = place.page;
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
      <Top live={live} />
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
        <Page key={place.name} />
      </main>
    </>
  );
}

function Top({ live }: { readonly live: LiveState }): JSX.Element {
  const { status, problem, isPaused } = live;
  const { chosen } = useTheme();
  const health = status?.health.status;
  return (
    <header class="top">
      <strong class="brand">svc</strong>
      <span class="mono faint host">{location.host}</span>
      <span class="state" aria-live="polite">
        {problem !== null && <Badge tone="bad" text="not reachable" />}
        {problem === null && health !== undefined && <Badge tone={TONES[health]} text={health} />}
      </span>
      {status !== null && (
        <span class="faint identity">
          {status.frogdb.version} · {status.cluster.mode} · {status.cluster.num_shards} shards · up{' '}
          {age(status.frogdb.uptime_secs)} · pid {status.frogdb.process_id}
        </span>
      )}
      <span class="tools">
        <button
          type="button"
          aria-pressed={isPaused}
          title="Stop and start the updates"
          onClick={() => liveSource.setPaused(!isPaused)}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <button type="button" title="Colours: as the system, light, dark" onClick={nextTheme}>
          Theme: {chosen}
        </button>
      </span>
    </header>
  );
}

function usePlace(): Place {
  const [place, setPlace] = useState(currentPlace);
  useEffect(() => {
    const listener = (): void => setPlace(currentPlace());
    window.addEventListener('hashchange', listener);
    return () => window.removeEventListener('hashchange', listener);
  }, []);
  return place;
}

function currentPlace(): Place {
  const name = location.hash.replace(/^#\/?/, '').split('?')[0];
  return PLACES.find((place) => place.name === name) ?? PLACES[0]!;
}
