/** Routes of HTTP except probes and metrics: their code is loaded after that of those. */

import { fileURLToPath } from 'node:url';
import { History } from '#history';
import type { Access } from './protocol/access.ts';
import { actionRoutes } from './views/actions.ts';
import { adminRoutes } from './views/admin.ts';
import { apiRoutes, DebugDocuments } from './views/api.ts';
import { CommandsView } from './views/commands.ts';
import { Bundles } from './views/bundles/bundles.ts';
import { StaticFiles } from './views/files.ts';
import { indexPage } from './views/index-page.ts';
import { historyRoutes } from './views/records/history.ts';
import { judgementOf } from './views/records/judgement.ts';
import { Live } from './views/live/live.ts';
import { openApiRoute } from './views/openapi/openapi.ts';
import { MonitorView } from './views/live/monitor.ts';
import { MemoryView } from './views/storage/memory.ts';
import type { MetricsRenderer } from './views/metrics.ts';
import { pageLinkRoute } from './views/page-links.ts';
import { runbooksRoute } from './views/runbooks-page.ts';
import { persistenceRoute } from './views/storage/persistence.ts';
import type { Route } from './protocol/route.ts';
import { Routes } from './protocol/routes.ts';
import type { HttpLiveSettings } from './views/settings.ts';
import { statusRoutes } from './views/status.ts';
import type { OpsContext } from './ops/ops-context.ts';

/** Folder of the built web UI: `dist/debug-ui`. */
const UI_FOLDER = fileURLToPath(new URL('../../debug-ui', import.meta.url));

interface RestOptions {
  /** Existing routes. */
  readonly early: readonly Route[];
  readonly access: Access;
  readonly opsContext: OpsContext;
  readonly metrics: MetricsRenderer;
  /** URL of the task that packs bundles. */
  readonly bundleTask: string;
}

export class DeferredRoutes {
  readonly routes: Routes;
  readonly bundles: Bundles;
  readonly #live: Live;
  readonly #history: History;
  readonly #commands: CommandsView;
  readonly #memory: MemoryView;

  constructor({ early, access, opsContext, metrics, bundleTask }: RestOptions) {
    this.#commands = new CommandsView(opsContext);
    this.#memory = new MemoryView(opsContext);
    const history = newHistory(opsContext);
    this.#history = history;
    this.#live = new Live(opsContext, history);
    void this.#startHistory(opsContext);
    const documents = new DebugDocuments(opsContext);
    this.bundles = new Bundles({ opsContext, metrics, history, task: bundleTask });
    const routes = [
      ...early,
      metrics.route,
      ...statusRoutes(opsContext, access),
      ...apiRoutes(documents, metrics),
      this.#live.route,
      ...historyRoutes({
        history: this.#history,
        commandNames: opsContext.observer.commandNames,
        wallMs: () => opsContext.clock.wallMs(),
      }),
      this.#commands.route,
      ...this.#memory.routes,
      persistenceRoute(opsContext),
      ...actionRoutes(opsContext),
      ...new MonitorView(opsContext, access).routes,
      ...this.bundles.routes,
      ...adminRoutes(opsContext),
      openApiRoute(() => this.routes.all, opsContext.version),
    ];
    this.routes = new Routes([...routes, ...uiRoutes(() => this.routes.all, opsContext.version)]);
  }

  /** Applies settings that have changed. */
  apply(live: HttpLiveSettings): void {
    this.#history.apply(live.history);
  }

  async #startHistory(opsContext: OpsContext): Promise<void> {
    await this.#history.start();
    opsContext.noteRecord = (record) => {
      this.#history.events.add(record);
    };
    for (const record of opsContext.earlyRecords.splice(0)) this.#history.events.add(record);
  }

  async close(): Promise<void> {
    this.#live.close();
    await this.#history.close();
    this.#commands.close();
    this.#memory.close();
    await this.bundles.close();
  }
}

function newHistory(opsContext: OpsContext): History {
  const { observer, clock, live } = opsContext;
  return new History({
    observer,
    clock,
    settings: live.history,
    judged: () => judgementOf(opsContext),
    log: opsContext.log,
  });
}

function uiRoutes(all: () => readonly Route[], version: string): Route[] {
  const files = new StaticFiles(UI_FOLDER);
  return [
    {
      path: '/debug',
      about: 'Redirects to the debug pages.',
      media: 'text/plain',
      status: 308,
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
      media: 'text/html',
      methods: { GET: () => files.find('index.html') ?? indexPage(all(), version) },
    },
    runbooksRoute(),
    pageLinkRoute(),
    {
      path: '/debug/paths',
      about: 'List of all paths with their contents.',
      media: 'text/html',
      methods: { GET: () => indexPage(all(), version) },
    },
    {
      path: '/debug/runbooks.css',
      about: 'Style of the page of all runbooks.',
      media: 'text/css',
      methods: { GET: () => files.get('runbooks.css') },
    },
    {
      path: '/debug/login.css',
      about: 'Style of the page that asks for the token.',
      media: 'text/css',
      isOpen: true,
      methods: { GET: () => files.get('login.css') },
    },
    {
      path: '/debug/login.js',
      about: 'Script of the page that asks for the token.',
      media: 'text/javascript',
      isOpen: true,
      methods: { GET: () => files.get('login.js') },
    },
    {
      path: '/debug/assets/*',
      about: 'Files of the debug pages.',
      media: '*/*',
      methods: { GET: ({ params }) => files.get(`assets/${params['*'] ?? ''}`) },
    },
  ];
}
