/** A Prometheus that scrapes servers of a test every second, with the project's alerts made quick. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from '../clients/http-client.ts';
import { until } from '../until.ts';
import { endWithTest } from './end-with-test.ts';
import { freePort } from './child-server.ts';

const RULES = fileURLToPath(
  new URL('../../../../configs/observability/rules.yml', import.meta.url),
);

/** Ranges of the rules, and those in their place: several scrapes. */
const QUICK_RANGES: Readonly<Record<string, string>> = { '5m': '10s', '15m': '20s', '1h': '1m' };

const CONFIG = `
global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files:
  - rules.yml
scrape_configs:
  - job_name: svc
    file_sd_configs:
      - files: [targets.json]
        refresh_interval: 1s
`;

/** An alert that fires. */
interface FiringAlert {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

interface AlertsDocument {
  readonly data: {
    readonly alerts: readonly {
      readonly state: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: { readonly summary: string };
    }[];
  };
}

interface QueryDocument {
  readonly data: {
    readonly result: readonly { readonly value: readonly [time: number, text: string] }[];
  };
}

export class Prometheus {
  readonly #port: number;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #targets = new Set<string>();

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.#port = port;
    this.#folder = folder;
    this.#child = child;
  }

  /** Starts it with the project's rules, whose alerts fire at once and whose ranges are some seconds. */
  static async start(): Promise<Prometheus> {
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-prometheus-'));
    writeFileSync(path.join(folder, 'rules.yml'), quick(readFileSync(RULES, 'utf8')));
    writeFileSync(path.join(folder, 'targets.json'), '[]');
    writeFileSync(path.join(folder, 'prometheus.yml'), CONFIG);
    const port = await freePort();
    const child = spawn(
      'prometheus',
      [
        `--config.file=${path.join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${path.join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    endWithTest(child);
    const prometheus = new Prometheus(port, folder, child);
    await until(() => prometheus.#isReady(), 'Prometheus is ready');
    return prometheus;
  }

  /** Scrapes a server from now on. */
  scrape(httpPort: number): void {
    this.#targets.add(instance(httpPort));
    const text = JSON.stringify([{ targets: [...this.#targets] }]);
    writeFileSync(path.join(this.#folder, 'targets.json'), text);
  }

  /** Returns the alerts of a server that fire. */
  async firing(httpPort: number): Promise<FiringAlert[]> {
    const { data } = (await request(this.#port, '/api/v1/alerts')).json() as AlertsDocument;
    return data.alerts
      .filter(
        ({ state, labels }) => state === 'firing' && labels['instance'] === instance(httpPort),
      )
      .map(({ labels, annotations }) => ({
        name: labels['alertname']!,
        labels,
        summary: annotations.summary,
      }));
  }

  /** Returns how often a server was scraped with success within the last minute. */
  scrapes(httpPort: number): Promise<number> {
    return this.#query(`sum_over_time(up{instance="${instance(httpPort)}"}[1m])`);
  }

  /** Returns the latest value of a metric of a server; 0 where there is none. */
  value(metric: string, httpPort: number): Promise<number> {
    return this.#query(`${metric}{instance="${instance(httpPort)}"}`);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #query(expression: string): Promise<number> {
    const answer = await request(
      this.#port,
      `/api/v1/query?query=${encodeURIComponent(expression)}`,
    );
    const { data } = answer.json() as QueryDocument;
    return Number(data.result[0]?.value[1] ?? 0);
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await request(this.#port, '/-/ready')).status === 200;
    } catch {
      return false;
    }
  }
}

function instance(httpPort: number): string {
  return `127.0.0.1:${httpPort}`;
}

function quick(rules: string): string {
  return rules
    .replaceAll(/^ +for: .*\n/gm, '')
    .replaceAll(/\[(5m|15m|1h)\]/g, (_, range: string) => `[${QUICK_RANGES[range]!}]`);
}
