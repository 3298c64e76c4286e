/** The HTTP listener: limits, the order in which a request is judged, and how answers are sent. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { AccessScope } from '#api-types';
import { HttpError, redirect, SECURITY_HEADERS, type Answer } from './answer.ts';
import type { Access } from './access.ts';
import { Connections } from './connections.ts';
import { encodedAnswer, type Acceptance } from './encoding.ts';
import { Exchange, targetOf } from './exchange.ts';
import {
  allowedMethods,
  isForViewers,
  isProtected,
  PROBE_PATHS,
  type Found,
  type Handler,
  type Route,
} from './route.ts';

const HEADER_BYTES_MAX = 16 * 1_024;
/** From the first byte of a request to the end of its headers, and to its end. */
const HEADERS_MS_MAX = 5_000;
const REQUEST_MS_MAX = 10_000;
/** A connection on which nothing is asked, and one on which nothing moves. */
const KEEP_ALIVE_MS = 60_000;
const SILENT_MS_MAX = 30_000;
const CHECK_MS = 1_000;

interface ListenerOptions {
  /** Finds the route of a path; a path that is not answered yet is waited for. */
  find(path: string): Found | undefined | Promise<Found | undefined>;
  readonly access: Access;
  /** Certificate and key of HTTPS; undefined for plain HTTP. */
  readonly secure: SecureContextOptions | undefined;
  /** Something went wrong that is no fault of the one who asked. */
  failed(path: string, error: unknown): void;
  /** A request was answered. */
  served(method: string, path: string, status: number): void;
}

export class HttpListener {
  readonly #options: ListenerOptions;
  readonly #server: Server | SecureServer;
  readonly #connections: Connections;
  /** Requests answered, by the class of their status. */
  readonly answered: Record<string, number> = {};

  constructor(options: ListenerOptions) {
    this.#options = options;
    const limits = {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_MS_MAX,
      requestTimeout: REQUEST_MS_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
    };
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#serve(request, response);
    this.#server =
      options.secure === undefined
        ? createServer(limits, serve)
        : createSecureServer(
            { ...limits, ...options.secure, handshakeTimeout: HEADERS_MS_MAX },
            serve,
          );
    this.#server.setTimeout(SILENT_MS_MAX);
    this.#server.on('clientError', refuseGarbage);
    this.#connections = new Connections(this.#server);
  }

  /** Secures new connections with that, where HTTPS is served. */
  secure(options: SecureContextOptions): void {
    if (this.#server instanceof SecureServer) this.#server.setSecureContext(options);
  }

  get connections(): number {
    return this.#connections.count;
  }

  get refused(): number {
    return this.#connections.refused;
  }

  /** Begins to listen; answers the port, which is chosen where it is 0. */
  open(bind: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: bind, port }, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let answer: Answer;
    try {
      this.#admit(request, response);
      answer = await encodedAnswer(await this.#answer(request), acceptanceOf(request));
    } catch (error) {
      if (error instanceof HttpError) {
        answer = error.answer;
      } else {
        this.#options.failed(pathOf(request), error);
        answer = new HttpError(500, 'internal error').answer;
      }
    }
    const kind = `${Math.floor(answer.status / 100)}xx`;
    this.answered[kind] = (this.answered[kind] ?? 0) + 1;
    send(request, response, answer);
    this.#options.served(request.method ?? '', pathOf(request), answer.status);
  }

  /** Throws when too many requests are under way; probes are always answered. */
  #admit(request: IncomingMessage, response: ServerResponse): void {
    if (PROBE_PATHS.has(pathOf(request))) return;
    const place = this.#connections.began(request.socket);
    if (place === undefined) {
      const headers = { 'Retry-After': '1', Connection: 'close' };
      throw new HttpError(503, 'too many concurrent requests', headers);
    }
    response.once('close', place.ended);
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { access } = this.#options;
    const target = targetOf(request.url ?? '/');
    const found = await this.#options.find(target.path);
    const exchange = new Exchange(request, target, found?.params ?? {});
    if (isProtected(target.path, found?.route)) {
      try {
        demandScope(await access.demand(exchange), exchange, found);
      } catch (error) {
        if (isBrowserPage(exchange, error)) return redirect('/debug/login');
        throw error;
      }
    }
    if (found === undefined) throw new HttpError(404, 'not found');
    const handler = handlerOf(found, exchange.method);
    demandKnownParameters(found.route, exchange);
    if (exchange.method === 'POST' || found.route.isMutation === true) {
      access.demandOwnSite(exchange);
    }
    return handler(exchange);
  }
}

/** Throws if the caller is only permitted to read, and the request is not a read. */
function demandScope(scope: AccessScope, { path, method }: Exchange, found?: Found): void {
  if (scope === 'all' || isForViewers(path, method, found?.route)) return;
  throw new HttpError(
    403,
    'forbidden',
    {},
    'http.viewer-token reads what is below /debug, but no bundles; http.token does everything',
  );
}

function acceptanceOf({ method, headers }: IncomingMessage): Acceptance {
  const isRead = method === 'GET' || method === 'HEAD';
  return {
    acceptEncoding: headers['accept-encoding'] ?? '',
    ifNoneMatch: isRead ? (headers['if-none-match'] ?? '') : '',
  };
}

/** Throws for unknown query parameters. */
function demandKnownParameters({ parameters = [] }: Route, { query }: Exchange): void {
  if (parameters === 'any') return;
  const names = parameters.map(({ name }) => name);
  const unknown = [...query.keys()].find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const known = names.length === 0 ? 'there are none' : names.join(', ');
  throw new HttpError(400, 'unknown parameter', {}, `${JSON.stringify(unknown)}; known: ${known}`);
}

/** The path that was asked for, without its query: keys and secrets may stand there. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

function handlerOf({ route }: Found, method: string): Handler {
  const handler =
    method === 'GET' || method === 'HEAD'
      ? route.methods.GET
      : method === 'POST'
        ? route.methods.POST
        : undefined;
  if (handler !== undefined) return handler;
  throw new HttpError(405, 'method not allowed', { Allow: allowedMethods(route).join(', ') });
}

/** True when a client without the token has asked for a page, to read it. */
function isBrowserPage(exchange: Exchange, error: unknown): boolean {
  if (!(error instanceof HttpError) || error.status !== 401) return false;
  const isPage = exchange.path === '/debug' || exchange.path === '/debug/';
  return isPage && exchange.header('accept').includes('text/html');
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (response.destroyed) {
    if (isStream(answer.body)) answer.body.destroy();
    return;
  }
  const headers: Record<string, string | number> = {
    ...SECURITY_HEADERS,
    'Content-Type': answer.type,
    ...answer.headers,
  };
  // An unread body would be parsed as the next request.
  if (hasBody(request) && !request.complete) headers['Connection'] = 'close';
  const { body } = answer;
  if (isStream(body)) {
    response.writeHead(answer.status, headers);
    if (request.method === 'HEAD') {
      body.destroy();
      response.end();
      return;
    }
    body.on('error', () => response.destroy());
    response.on('close', () => body.destroy());
    body.pipe(response);
    return;
  }
  if (answer.status !== 304) headers['Content-Length'] = Buffer.byteLength(body);
  response.writeHead(answer.status, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isStream(body: Answer['body']): body is Readable {
  return typeof body !== 'string' && !Buffer.isBuffer(body);
}

const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Replies to input that is not HTTP with one status line, and closes the connection. */
function refuseGarbage(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = REFUSALS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.destroySoon();
}
