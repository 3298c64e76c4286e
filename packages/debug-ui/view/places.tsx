/** All pages. Each is loaded when it is opened, or later, so that no page waits for others. */

import type { ComponentType, JSX } from 'preact';

interface Place {
  readonly name: string;
  readonly title: string;
  readonly load: () => Promise<ComponentType>;
}

/** A page with its content. */
export interface OpenPlace {
  readonly place: Place;
  readonly Page: ComponentType;
}

export const PLACES: readonly Place[] = [
  {
    name: 'overview',
    title: 'Overview',
    load: async () => (await import('./pages/overview.tsx')).OverviewPage,
  },
  {
    name: 'history',
    title: 'History',
    load: async () => (await import('./pages/history.tsx')).HistoryPage,
  },
  {
    name: 'performance',
    title: 'Performance',
    load: async () => (await import('./pages/performance.tsx')).PerformancePage,
  },
  {
    name: 'commands',
    title: 'Commands',
    load: async () => (await import('./pages/commands.tsx')).CommandsPage,
  },
  {
    name: 'live',
    title: 'Live',
    load: async () => (await import('./pages/live.tsx')).LivePage,
  },
  {
    name: 'hot-keys',
    title: 'Hot keys',
    load: async () => (await import('./pages/hot-keys.tsx')).HotKeysPage,
  },
  {
    name: 'key-fates',
    title: 'Key fates',
    load: async () => (await import('./pages/key-fates.tsx')).KeyFatesPage,
  },
  {
    name: 'scripts',
    title: 'Scripts',
    load: async () => (await import('./pages/scripts.tsx')).ScriptsPage,
  },
  {
    name: 'shards',
    title: 'Shards',
    load: async () => (await import('./pages/shards.tsx')).ShardsPage,
  },
  {
    name: 'clients',
    title: 'Clients',
    load: async () => (await import('./pages/clients.tsx')).ClientsPage,
  },
  {
    name: 'memory',
    title: 'Memory',
    load: async () => (await import('./pages/memory.tsx')).MemoryPage,
  },
  {
    name: 'persistence',
    title: 'Persistence',
    load: async () => (await import('./pages/persistence.tsx')).PersistencePage,
  },
  {
    name: 'replication',
    title: 'Replication',
    load: async () => (await import('./pages/replication.tsx')).ReplicationPage,
  },
  {
    name: 'cluster',
    title: 'Cluster',
    load: async () => (await import('./pages/cluster.tsx')).ClusterPage,
  },
  {
    name: 'users',
    title: 'Users',
    load: async () => (await import('./pages/users.tsx')).UsersPage,
  },
  {
    name: 'configuration',
    title: 'Configuration',
    load: async () => (await import('./pages/configuration.tsx')).ConfigurationPage,
  },
  {
    name: 'logs',
    title: 'Logs',
    load: async () => (await import('./pages/logs.tsx')).LogsPage,
  },
  {
    name: 'traces',
    title: 'Traces',
    load: async () => (await import('./pages/traces/traces.tsx')).TracesPage,
  },
  {
    name: 'bundles',
    title: 'Bundles',
    load: async () => (await import('./pages/bundles.tsx')).BundlesPage,
  },
];

/** The place that the address names. */
export function currentPlace(): Place {
  const name = location.hash.replace(/^#\/?/, '').split('?')[0];
  return PLACES.find((place) => place.name === name) ?? PLACES[0]!;
}

export async function opened(place: Place): Promise<OpenPlace> {
  try {
    return { place, Page: await place.load() };
  } catch {
    // The server is away, or it is a newer one, whose files have other names.
    return { place, Page: NotLoaded };
  }
}

/** Loads the pages that were not opened yet: they then work even if the server stops. */
export async function loadOthers(): Promise<void> {
  for (const place of PLACES) await opened(place);
}

function NotLoaded(): JSX.Element {
  return (
    <p class="problem" role="alert">
      This page could not be loaded.{' '}
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </p>
  );
}
