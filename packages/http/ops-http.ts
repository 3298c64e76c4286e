/**
 * The HTTP side of the ops thread, from the first request to the last.
 *
 * It listens, and answers probes, before the rest is loaded: whoever asks for more waits until it is.
 */

import { systemClock } from '#base';
import { Access } from './access.ts';
import { AllowedHosts } from './allowed-hosts.ts';
import type { Bundles } from './bundles.ts';
import { HttpListener } from './listener.ts';
import { loginRoutes } from './login.ts';
import { probeRoutes } from './probes.ts';
import { Routes, type Route } from './routes.ts';
import type { HttpLiveSettings } from './settings.ts';
import type { RestOfHttp } from './rest-of-http.ts';
import type { OpsHttpParts } from './surroundings.ts';
import { WrongTokens } from './wrong-tokens.ts';

export class OpsHttp {
  readonly #parts: OpsHttpParts;
  readonly #access: Access;
  #live: HttpLiveSettings;
  readonly #listener: HttpListener;
  /** The rest, as soon as it is loaded. */
  readonly #rest: Promise<RestOfHttp>;

  constructor(parts: OpsHttpParts) {
    this.#parts = parts;
    const { fixed, sight } = parts;
    const access = new Access({
      token: fixed.token,
      hosts: new AllowedHosts(parts.live.allowedHosts, fixed.bind),
      wrongTokens: new WrongTokens({
        nowMs: () => systemClock.nowUs() / 1_000,
        log: (message, fields) => {
          parts.log('warn', 'http-wrong-token', message, fields);
        },
      }),
      wallMs: () => systemClock.wallMs(),
    });
    this.#access = access;
    this.#live = parts.live;
    const probes = probeRoutes({
      main: sight.main,
      commandNames: sight.commandNames,
      livenessMs: () => this.#live.mainStuckLivenessMs,
      nowUs: () => systemClock.nowUs(),
    });
    const early = [...probes, ...loginRoutes(access)];
    this.#listener = new HttpListener({
      access,
      early: new Routes(early),
      routes: () => this.#rest.then(({ routes }) => routes),
      failed: (path, error) => {
        const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
        parts.log('error', 'http-failed', 'A request could not be answered.', { path, reason });
      },
      served: (method, path, status) => {
        parts.log('trace', 'http-request', 'An HTTP request was answered.', {
          method,
          path,
          status,
        });
      },
    });
    this.#rest = this.#load(early);
  }

  /** Begins to listen; rejects with a message for people when the address cannot be had. */
  async open(): Promise<void> {
    const { bind, port } = this.#parts.fixed;
    try {
      const chosen = await this.#listener.open(bind, port);
      const address = `${bind.includes(':') ? `[${bind}]` : bind}:${chosen}`;
      this.#parts.log('info', 'http-listening', `HTTP is served at http://${address}`, {
        port: chosen,
      });
    } catch (error) {
      throw new Error(listenProblem(bind, port, error as NodeJS.ErrnoException), { cause: error });
    }
  }

  /** Settles when everything shows these settings. */
  async apply(live: HttpLiveSettings): Promise<void> {
    this.#live = live;
    this.#access.hosts = new AllowedHosts(live.allowedHosts, this.#parts.fixed.bind);
    (await this.#rest).apply(live);
  }

  /** Has metrics that were rendered before rendered anew. */
  async forgetMetrics(): Promise<void> {
    (await this.#rest).forgetMetrics();
  }

  async bundles(): Promise<Bundles> {
    return (await this.#rest).bundles;
  }

  async close(): Promise<void> {
    this.#listener.close();
    await (await this.#rest).close();
  }

  async #load(early: readonly Route[]): Promise<RestOfHttp> {
    const { RestOfHttp } = await import('./rest-of-http.ts');
    return new RestOfHttp({
      ...this.#parts,
      early,
      access: this.#access,
      listener: this.#listener,
    });
  }
}

function listenProblem(bind: string, port: number, error: NodeJS.ErrnoException): string {
  const advice = 'choose another with --http-port, or set http.enabled = false';
  switch (error.code) {
    case 'EADDRINUSE':
      return `http: ${bind}:${port} is in use; ${advice}`;
    case 'EACCES':
      return `http: ${bind}:${port} may not be used by this user; ${advice}`;
    case 'EADDRNOTAVAIL':
      return `http: ${bind} is not an address of this machine; set http.bind`;
    default:
      return `http: cannot listen on ${bind}:${port}: ${error.message}`;
  }
}
