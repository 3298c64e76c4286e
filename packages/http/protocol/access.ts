/**
 * Access to protected routes: granted to requests with a token, in a header or, in a browser after login, in a cookie
 * derived from it; never to requests caused by pages of other sites, even if the browser sends the cookie. The token
 * permits everything, the viewers' token only reading below /debug.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccessScope } from '#api-types';
import type { AllowedHosts } from './allowed-hosts.ts';
import { HttpError } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { WrongTokens } from './wrong-tokens.ts';

const SESSION_SECONDS = 12 * 3_600;
const SCOPES: readonly AccessScope[] = ['all', 'viewer'];

/** Session of a browser that has logged in. */
interface Session {
  /** Unix milliseconds. */
  readonly endMs: number;
  readonly scope: AccessScope;
  /** Equal for all requests of the session, and in no response or log line. */
  readonly key: string;
}

interface AccessOptions {
  /** Empty: everybody may. */
  readonly token: string;
  /** Empty: there is none. */
  readonly viewerToken: string;
  readonly hosts: AllowedHosts;
  readonly wrongTokens: WrongTokens;
  wallMs(): number;
}

export class Access {
  /** May change while the server runs. */
  hosts: AllowedHosts;
  /** Ends the work of a session, which is given by its key, before its browser logs out. */
  loggedOut: (session: string) => Promise<void> = () => Promise.resolve();
  readonly #options: AccessOptions;
  /** Sessions end with the process. */
  readonly #key = randomBytes(32);

  constructor(options: AccessOptions) {
    this.#options = options;
    this.hosts = options.hosts;
  }

  get isTokenSet(): boolean {
    return this.#options.token !== '';
  }

  /** Returns the permissions of the request; throws if it has none. */
  async demand(exchange: Exchange): Promise<AccessScope> {
    if (!this.isTokenSet) {
      this.#demandKnownHost(exchange);
      return 'all';
    }
    const session = this.sessionOf(exchange);
    if (session?.scope === 'all') return 'all';
    const token = bearerOf(exchange);
    const ofToken = token === undefined ? undefined : await this.judge(token, exchange);
    const scope = ofToken ?? session?.scope;
    if (scope !== undefined) return scope;
    throw new HttpError(401, 'unauthorized', { 'WWW-Authenticate': 'Bearer' });
  }

  /** Returns what a token may have; takes its time about a wrong one, or throws where an address sends many of them. */
  async judge(token: string, { remoteAddress }: Exchange): Promise<AccessScope | undefined> {
    const { wrongTokens } = this.#options;
    const scope = this.#scopeOf(token);
    if (scope !== undefined) return scope;
    wrongTokens.demandPatience(remoteAddress);
    await wrongTokens.noted(remoteAddress);
    return undefined;
  }

  /** Returns what a request may have that was let in. */
  scopeOf(exchange: Exchange): AccessScope {
    if (!this.isTokenSet || this.sessionOf(exchange)?.scope === 'all') return 'all';
    return this.#scopeOf(bearerOf(exchange) ?? '') ?? 'viewer';
  }

  /** True when the host of the request is a permitted name of this server. */
  isKnownHost(exchange: Exchange): boolean {
    return this.hosts.admits(exchange.header('host'));
  }

  /** Throws when a page of another site has caused a request that changes something. */
  demandOwnSite(exchange: Exchange): void {
    // No page can have another site's browser send this header, right or wrong.
    if (this.isTokenSet && bearerOf(exchange) !== undefined) return;
    const site = exchange.header('sec-fetch-site');
    if (!['', 'same-origin', 'none'].includes(site)) throw foreign();
    // Headers set by the browser have precedence over host names, which a proxy may have changed.
    const origin = site === '' ? exchange.header('origin') : '';
    const host = hostOf(`http://${exchange.header('host')}`);
    if (origin !== '' && hostOf(origin) !== host) throw foreign();
    if (!this.isTokenSet) this.#demandKnownHost(exchange);
  }

  /** The header that begins a session. */
  sessionCookie(exchange: Exchange, scope: AccessScope): string {
    const expires = String(Math.floor(this.#options.wallMs() / 1_000) + SESSION_SECONDS);
    return cookie(exchange, `${expires}.${this.#session(expires, scope)}`, SESSION_SECONDS);
  }

  /** Ends the session of a browser, and returns the header that removes its cookie. */
  async logOut(exchange: Exchange): Promise<string> {
    const session = this.sessionOf(exchange);
    // A late main keeps no browser logged in.
    if (session !== null) await this.loggedOut(session.key).catch(() => undefined);
    return cookie(exchange, '', 0);
  }

  /** Compares with each token in constant time. */
  #scopeOf(given: string): AccessScope | undefined {
    const { token, viewerToken } = this.#options;
    const mac = this.#mac(given);
    const isToken = timingSafeEqual(mac, this.#mac(token));
    const isViewerToken = timingSafeEqual(mac, this.#mac(viewerToken)) && viewerToken !== '';
    if (isToken) return 'all';
    return isViewerToken ? 'viewer' : undefined;
  }

  /** Returns the requester's session; null without one. */
  sessionOf(exchange: Exchange): Session | null {
    if (!this.isTokenSet) return null;
    const name = cookieName(exchange);
    const pattern = new RegExp(`(?:^|; *)${name}=(\\d{1,15})\\.([0-9a-f]{64})(?:;|$)`);
    const [, expires, given] = pattern.exec(exchange.header('cookie')) ?? [];
    if (expires === undefined || given === undefined) return null;
    const endMs = Number(expires) * 1_000;
    if (endMs < this.#options.wallMs()) return null;
    const scope = SCOPES.find((each) =>
      timingSafeEqual(Buffer.from(given), Buffer.from(this.#session(expires, each))),
    );
    return scope === undefined ? null : { endMs, scope, key: given };
  }

  #session(expires: string, scope: AccessScope): string {
    const { token, viewerToken } = this.#options;
    const secret = scope === 'all' ? token : viewerToken;
    return this.#mac(`session ${scope} ${expires} ${secret}`).toString('hex');
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }

  #demandKnownHost(exchange: Exchange): void {
    if (this.isKnownHost(exchange)) return;
    throw new HttpError(
      403,
      'the host of the request is not this server',
      {},
      'http.allowed-hosts lists the names that the server is asked by',
    );
  }
}

function bearerOf(exchange: Exchange): string | undefined {
  return /^bearer +(\S+) *$/i.exec(exchange.header('authorization'))?.[1];
}

function foreign(): HttpError {
  return new HttpError(403, 'requests caused by pages of other sites are refused');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

/** Browsers send a cookie to all ports of a host: the name of the cookie distinguishes servers on one host. */
function cookieName(exchange: Exchange): string {
  const [, port = String(exchange.localPort)] = /:(\d{1,5})$/.exec(exchange.header('host')) ?? [];
  return `svc-token-${port}`;
}

function cookie(exchange: Exchange, value: string, seconds: number): string {
  const secure = exchange.isSecure ? '; Secure' : '';
  return `${cookieName(exchange)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
