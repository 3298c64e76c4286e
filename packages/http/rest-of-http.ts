/** All that is answered over HTTP beside probes: what it takes is loaded after those are there. */

import { fileURLToPath } from 'node:url';
import type { StatusDocument } from '#documents';
import type { Access } from './access.ts';
import { actionRoutes } from './actions.ts';
import { adminRoutes } from './admin.ts';
import { json } from './answer.ts';
import { apiRoutes, DebugDocuments } from './api.ts';
import { Bundles } from './bundles.ts';
import { StaticFiles } from './files.ts';
import { indexPage } from './index-page.ts';
import type { HttpListener } from './listener.ts';
import { Live } from './live.ts';
import { MetricsDesk } from './metrics.ts';
import { Routes, type Route } from './routes.ts';
import type { HttpLiveSettings } from './settings.ts';
import { Surroundings, type OpsHttpParts } from './surroundings.ts';

/** Where the web UI is built to: `dist/debug-ui`. */
const UI_FOLDER = fileURLToPath(new URL('../../debug-ui', import.meta.url));

export interface RestParts extends OpsHttpParts {
  readonly early: readonly Route[];
  readonly access: Access;
  readonly listener: HttpListener;
}

export class RestOfHttp {
  readonly routes: Routes;
  readonly bundles: Bundles;
  readonly #surroundings: Surroundings;
  readonly #live: Live;
  readonly #metrics: MetricsDesk;

  constructor(parts: RestParts) {
    const { early, access, listener } = parts;
    const surroundings = new Surroundings(parts);
    this.#surroundings = surroundings;
    const metrics = new MetricsDesk(surroundings, listener);
    this.#metrics = metrics;
    this.#live = new Live(surroundings);
    const documents = new DebugDocuments(surroundings);
    this.bundles = new Bundles({ surroundings, documents, metrics, task: parts.bundleTask });
    const routes = [
      ...early,
      metrics.route,
      ...statusRoutes(surroundings, access),
      ...apiRoutes(documents, metrics),
      this.#live.route,
      ...actionRoutes(surroundings),
      ...this.bundles.routes,
      ...adminRoutes(surroundings),
    ];
    this.routes = new Routes([...routes, ...uiRoutes(routes, parts.version)]);
  }

  apply(live: HttpLiveSettings): void {
    this.#surroundings.live = live;
    this.#metrics.apply(live);
  }

  forgetMetrics(): void {
    this.#metrics.forget();
  }

  async close(): Promise<void> {
    this.#live.close();
    this.#surroundings.close();
    await this.#metrics.close();
    await this.bundles.close();
  }
}

function statusRoutes(surroundings: Surroundings, access: Access): Route[] {
  return [
    {
      path: '/status/json',
      about: 'The status document, as STATUS JSON answers it.',
      isOpen: true,
      methods: {
        GET: async (exchange) => {
          const status = await surroundings.status();
          return json(access.isKnownHost(exchange) ? status : withoutKeys(status));
        },
      },
    },
  ];
}

/** The document for whoever may be a page of another site: keys are its users' data. */
function withoutKeys(status: StatusDocument): StatusDocument {
  const shards = status.shards.map((shard) =>
    shard.executing === null ? shard : { ...shard, executing: { ...shard.executing, key: null } },
  );
  return { ...status, shards };
}

function uiRoutes(routes: readonly Route[], version: string): Route[] {
  const files = new StaticFiles(UI_FOLDER);
  return [
    {
      path: '/debug',
      about: 'Leads to the debug pages.',
      methods: {
        GET: () => ({
          status: 308,
          type: 'text/plain',
          body: '',
          headers: { Location: '/debug/' },
        }),
      },
    },
    {
      path: '/debug/',
      about: 'The debug pages.',
      methods: { GET: () => files.find('index.html') ?? indexPage(routes, version) },
    },
    {
      path: '/debug/paths',
      about: 'Every path, with what it answers.',
      methods: { GET: () => indexPage(routes, version) },
    },
    {
      path: '/debug/login.css',
      about: 'How the page looks that asks for the token.',
      isOpen: true,
      methods: { GET: () => files.get('login.css') },
    },
    {
      path: '/debug/login.js',
      about: 'Leads back to the page that was asked for.',
      isOpen: true,
      methods: { GET: () => files.get('login.js') },
    },
    {
      path: '/debug/assets/*',
      about: 'Files of the debug pages.',
      methods: { GET: ({ params }) => files.get(`assets/${params['*'] ?? ''}`) },
    },
  ];
}
