/** Diagnostic bundles: all diagnostic data of the server at one moment, in one file. */

import type { CommandLogKind } from '#base';
import { randomBytes } from 'node:crypto';
import type { Piscina } from 'piscina';
import type { BundleFile, BundleResult, BundleTask } from '#stats';
import type { History } from '#history';
import type { BundleReport } from '#api-types';
import { HttpError, type Answer } from '../../protocol/answer.ts';
import { DebugDocuments } from '../api.ts';
import { bundleName, BundleStore, createdMs, newId } from './bundle-store.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import { allEvents, EXTENTS, pastOf, pastOfThreads } from './history-files.ts';
import { machineFacts } from './machine-facts.ts';
import type { MetricsRenderer } from '../metrics.ts';
import { documentRoute, type Route } from '../../protocol/route.ts';
import { currentStatus } from '../status.ts';
import type { MainClient } from '../../ops/main-client.ts';
import type { OpsContext } from '../../ops/ops-context.ts';

/** Idle time in milliseconds after which the packing thread ends. */
const IDLE_MS_MAX = 5_000;
/** Removed keys in a bundle; more may be kept. */
const REMOVED_KEYS_MAX = 1_000;
/** Scripts and functions in a bundle; each comes with the beginning of its source. */
const SCRIPTS_MAX = 500;
/** Users in a bundle. */
const USERS_MAX = 1_000;
/** Logs of commands, each in a file of its own. */
const COMMAND_LOG_FILES: readonly (readonly [CommandLogKind, string])[] = [
  ['slow', 'slowlog.json'],
  ['large-request', 'large-requests.json'],
  ['large-reply', 'large-replies.json'],
];
const GZIP = 'application/gzip';
const FULL = new Set(['ENOSPC', 'EDQUOT']);

interface BundlesOptions {
  readonly opsContext: OpsContext;
  readonly metrics: MetricsRenderer;
  readonly history: History;
  /** Path of the task that packs. */
  readonly task: string;
}

export class Bundles {
  readonly #options: BundlesOptions;
  readonly #store: BundleStore;
  readonly #main: MainClient;
  #pool: Promise<Piscina<BundleTask, BundleResult>> | undefined;
  #isGenerating = false;

  constructor(options: BundlesOptions) {
    this.#options = options;
    this.#main = options.opsContext.mainClient.patient();
    this.#store = new BundleStore(options.opsContext.fixed.bundleFolder);
  }

  get routes(): readonly Route[] {
    return [
      {
        path: '/debug/api/bundle/generate',
        about: 'Creates and downloads a diagnostic bundle.',
        isForOwners: true,
        isMutation: true,
        media: GZIP,
        methods: { GET: (exchange) => this.#generateAnswer(exchange) },
      },
      {
        ...documentRoute('bundle/list', 'Existing diagnostic bundles.', () => ({
          bundles: this.list(),
        })),
        isForOwners: true,
      },
      {
        path: '/debug/api/bundle/:id',
        about: 'Downloads a bundle.',
        media: GZIP,
        isForOwners: true,
        methods: { GET: ({ params }) => this.#download(params['id'] ?? '') },
      },
    ];
  }

  list(): BundleReport[] {
    const { clock, live } = this.#options.opsContext;
    try {
      return this.#store.list(clock.wallMs(), live.bundles);
    } catch (error) {
      throw problemOf((error as NodeJS.ErrnoException).code ?? '', (error as Error).message);
    }
  }

  /** Makes a bundle; only one at a time. */
  async generate(): Promise<BundleReport> {
    if (this.#isGenerating) throw new HttpError(409, 'a bundle is already being generated');
    this.#isGenerating = true;
    try {
      return await this.#generate();
    } finally {
      this.#isGenerating = false;
    }
  }

  async close(): Promise<void> {
    await (await this.#pool)?.destroy();
  }

  async #generate(): Promise<BundleReport> {
    const { opsContext } = this.#options;
    const { clock, fixed, version } = opsContext;
    const id = newId(clock.wallMs(), randomBytes(3).toString('hex'));
    const created = new Date(createdMs(id) ?? 0).toISOString();
    const files = await this.#files();
    const task: BundleTask = {
      id,
      files,
      version,
      folder: fixed.bundleFolder,
      name: bundleName(id),
      createdAt: created,
    };
    this.#pool ??= newPool(this.#options.task);
    const result = await (await this.#pool).run(task, { name: 'packBundle' });
    if (!result.isGood) {
      opsContext.log('error', 'bundle-failed', 'Diagnostic bundle failed', {
        reason: result.message,
      });
      throw problemOf(result.code, result.message);
    }
    opsContext.log('info', 'bundle-generated', 'Diagnostic bundle written', { id });
    const report = this.list().find((each) => each.id === id);
    // More than are kept were made within the same second.
    if (report === undefined) throw new HttpError(500, 'the bundle was removed meanwhile');
    return report;
  }

  async #generateAnswer(exchange: Exchange): Promise<Answer> {
    if (exchange.method === 'HEAD') return { status: 200, type: GZIP, body: '' };
    const { id } = await this.generate();
    return this.#download(id);
  }

  #download(id: string): Answer {
    const found =
      createdMs(id) === undefined ? undefined : this.list().find((each) => each.id === id);
    if (found === undefined) throw new HttpError(404, 'bundle not found');
    return {
      status: 200,
      type: GZIP,
      body: this.#store.open(id),
      headers: {
        'Content-Disposition': `attachment; filename="${bundleName(id)}"`,
        'Content-Length': String(found.size_bytes),
      },
    };
  }

  #pastFiles(asJson: AsJson): Promise<BundleFile>[] {
    const { history, opsContext } = this.#options;
    const wallMs = opsContext.clock.wallMs();
    return [
      ...Object.entries(EXTENTS).map(([name, extent]) =>
        asJson(name, () => pastOf(history, wallMs, extent)),
      ),
      asJson('history-threads.json', () => pastOfThreads(history, wallMs)),
      asJson('events.json', () => allEvents(history)),
    ];
  }

  /** Main has the doctor; the verdict, on which it relies, is in the status. */
  async #doctorText(): Promise<string> {
    try {
      return `${await this.#main.ask('latency-doctor', null)}\n`;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return `${error.message}\n`;
    }
  }

  /**
   * Collects the bundle's files. What main does not answer in time is reported as a gap; the rest of the bundle is
   * still useful.
   */
  async #files(): Promise<BundleFile[]> {
    const { opsContext, metrics } = this.#options;
    const { live } = opsContext;
    const documents = new DebugDocuments(opsContext, this.#main);
    const asJson = async (name: string, of: () => unknown): Promise<BundleFile> => {
      try {
        return { name, text: `${JSON.stringify(await of(), null, 2)}\n` };
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        return { name, text: `${JSON.stringify({ error: error.message })}\n` };
      }
    };
    return Promise.all([
      asJson('server.json', () => documents.server()),
      asJson('status.json', () => currentStatus(opsContext)),
      Promise.resolve({ name: 'config.toml', text: live.toml }),
      metrics.text().then((text) => ({ name: 'metrics.prom', text })),
      asJson('metrics.json', () => ({ metrics: metrics.json() })),
      ...COMMAND_LOG_FILES.map(([kind, name]) =>
        asJson(name, () => documents.slowlog(kind, live.bundles.slowlogMax)),
      ),
      asJson('latency.json', () => documents.latency()),
      asJson('clients.json', () => documents.clients()),
      asJson('shards.json', () => documents.shardStats()),
      asJson('key-fates.json', () => documents.keyFates({ count: REMOVED_KEYS_MAX, of: null })),
      asJson('scripts.json', () => documents.scripts(SCRIPTS_MAX)),
      asJson('replication.json', () => documents.replication()),
      asJson('cluster.json', () => documents.cluster()),
      asJson('users.json', () => documents.users(USERS_MAX)),
      asJson('flight-recorder.json', () => documents.flight(Infinity)),
      asJson('traces.json', () => documents.traces(live.bundles.tracesMax)),
      asJson('hot-keys.json', async () => ({
        session: await this.#main.ask('hot-keys', null),
        window: await this.#main.ask('hot-window', null),
      })),
      ...this.#pastFiles(asJson),
      asJson('machine.json', () => machineFacts(live.status.dataFolder)),
      this.#doctorText().then((text) => ({ name: 'doctor.txt', text })),
      Promise.resolve({
        name: 'logs.txt',
        text: linesOf(opsContext.recentLog(0).map(({ line }) => line)),
      }),
    ]);
  }
}

type AsJson = (name: string, of: () => unknown) => Promise<BundleFile>;

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The packing thread; its code is loaded for the first bundle, and not at every start. */
async function newPool(task: string): Promise<Piscina<BundleTask, BundleResult>> {
  const { Piscina } = await import('piscina');
  return new Piscina({ filename: task, minThreads: 0, maxThreads: 1, idleTimeout: IDLE_MS_MAX });
}

function problemOf(code: string, message: string): HttpError {
  return FULL.has(code)
    ? new HttpError(507, 'no space left for bundles', {}, message)
    : new HttpError(500, 'the folder of bundles cannot be used', {}, message);
}
