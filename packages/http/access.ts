/**
 * Who may see what is protected: whoever has the token, in a header or, in a browser that has logged in, by
 * a cookie made from it; and pages of other sites never, whatever the browser sends along for them.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { HttpError } from './answer.ts';
import type { Exchange } from './exchange.ts';

const COOKIE = 'svc_session';
const SESSION_SECONDS = 12 * 3_600;

export interface AccessOptions {
  /** Empty: everybody may. */
  readonly token: string;
  /** Whether only this machine can connect. */
  readonly isLoopback: boolean;
  readonly bind: string;
  wallMs(): number;
}

export class Access {
  readonly #options: AccessOptions;
  /** Sessions end with the process. */
  readonly #key = randomBytes(32);

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  get isTokenSet(): boolean {
    return this.#options.token !== '';
  }

  /** Throws unless the request may see what is protected. */
  demand(exchange: Exchange): void {
    if (!this.isTokenSet) {
      this.#demandKnownHost(exchange);
    } else if (!this.hasBearer(exchange) && !this.#hasSession(exchange)) {
      throw new HttpError(401, 'unauthorized', { 'WWW-Authenticate': 'Bearer' });
    }
  }

  /** Throws when a page of another site has caused a request that changes something. */
  demandOwnSite(exchange: Exchange): void {
    // No page can have another site's browser send this header.
    if (this.isTokenSet && this.hasBearer(exchange)) return;
    const site = exchange.header('sec-fetch-site');
    if (!['', 'same-origin', 'none'].includes(site)) throw foreign();
    // What a browser says itself counts for more than names, which a proxy may have changed.
    const origin = site === '' ? exchange.header('origin') : '';
    const host = hostOf(`http://${exchange.header('host')}`);
    if (origin !== '' && hostOf(origin) !== host) throw foreign();
    if (!this.isTokenSet) this.#demandKnownHost(exchange);
  }

  hasBearer(exchange: Exchange): boolean {
    const [, token] = /^bearer +(\S+) *$/i.exec(exchange.header('authorization')) ?? [];
    return token !== undefined && this.isToken(token);
  }

  /** Compares in a time that says nothing about how much of it is right. */
  isToken(token: string): boolean {
    return this.isTokenSet && timingSafeEqual(this.#mac(token), this.#mac(this.#options.token));
  }

  /** The header that begins a session. */
  sessionCookie(): string {
    const expires = String(Math.floor(this.#options.wallMs() / 1_000) + SESSION_SECONDS);
    return cookie(`${expires}.${this.#session(expires)}`, SESSION_SECONDS);
  }

  /** The header that ends one. */
  noCookie(): string {
    return cookie('', 0);
  }

  #hasSession(exchange: Exchange): boolean {
    const pattern = new RegExp(`(?:^|; *)${COOKIE}=(\\d{1,15})\\.([0-9a-f]{64})(?:;|$)`);
    const [, expires, given] = pattern.exec(exchange.header('cookie')) ?? [];
    if (expires === undefined || given === undefined) return false;
    if (Number(expires) * 1_000 < this.#options.wallMs()) return false;
    return timingSafeEqual(Buffer.from(given), Buffer.from(this.#session(expires)));
  }

  #session(expires: string): string {
    return this.#mac(`session ${expires} ${this.#options.token}`).toString('hex');
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }

  /**
   * Without a token, a name that somebody else has pointed at this machine must not make a browser believe
   * that the pages behind it are that somebody's own.
   */
  #demandKnownHost(exchange: Exchange): void {
    if (!this.#options.isLoopback) return;
    const name = hostOf(`http://${exchange.header('host')}`).replace(/:\d+$/, '');
    const bare = name.replace(/^\[(.*)\]$/, '$1');
    const isKnown =
      isIP(bare) !== 0 ||
      bare === 'localhost' ||
      bare.endsWith('.localhost') ||
      bare === this.#options.bind;
    if (!isKnown) throw new HttpError(403, 'the host of the request is not this server');
  }
}

function foreign(): HttpError {
  return new HttpError(403, 'requests caused by pages of other sites are refused');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

function cookie(value: string, seconds: number): string {
  return `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
}
