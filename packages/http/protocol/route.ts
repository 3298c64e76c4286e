/** A path with what answers it, and who may ask for it. */

import type { ApiGets, ApiPosts } from '#api-types';
import { json, type Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';

/** Path of a document below `/debug/api/`. */
type DebugPath<Path> = Path extends `/debug/api/${infer Rest}` ? Rest : never;

/** Paths of documents and of actions below `/debug/api/`, as types of #api-types have them. */
type DocumentPath = DebugPath<keyof ApiGets>;
export type ActionPath = DebugPath<keyof ApiPosts>;

/** A query parameter. */
export interface Parameter {
  readonly name: string;
  /** One sentence for the description of the API. */
  readonly about: string;
  /** `flag`: given or not, the value is ignored. `words`: several of `values`, with commas between them. */
  readonly type: 'integer' | 'string' | 'words' | 'flag';
  /** Allowed values, if there are few. */
  readonly values?: readonly string[];
}

export type Handler = (exchange: Exchange) => Answer | Promise<Answer>;
type Method = 'GET' | 'POST';

export interface Route {
  readonly path: string;
  /** One sentence for the index. */
  readonly about: string;
  readonly methods: Readonly<Partial<Record<Method, Handler>>>;
  /** Allowed query parameters, none by default; others are refused. */
  readonly parameters?: readonly Parameter[] | 'any';
  /** Media type of the response to a GET; JSON by default. */
  readonly media?: string;
  /** Status of success; 200 by default. */
  readonly status?: number;
  /** True when the route is open without the token. */
  readonly isOpen?: boolean;
  /** True when the token of viewers does not open it. */
  readonly isForOwners?: boolean;
  /** True when a GET changes something, so that other sites' pages may not cause it. */
  readonly isMutation?: boolean;
}

export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Answered before all else, and however much else is under way. */
export const PROBE_PATHS: ReadonlySet<string> = new Set([
  ...['/health/live', '/healthz', '/health/ready', '/readyz'],
]);

/** Path of the metrics, which is served before all routes are loaded. */
export const METRICS_PATH = '/metrics';

/** Paths below which everything is protected, whether it exists or not. */
const PROTECTED = /^\/(debug|admin)(\/|$)/;

/** A JSON document at its path. */
export function documentAt<Path extends keyof ApiGets>(
  path: Path,
  about: string,
  body: (exchange: Exchange) => ApiGets[Path] | Promise<ApiGets[Path]>,
): Route {
  return { path, about, methods: { GET: async (exchange) => json(await body(exchange)) } };
}

/** A document of the debug API, at a path below its own. */
export function documentRoute<Path extends DocumentPath>(
  path: Path,
  about: string,
  body: (
    exchange: Exchange,
  ) => ApiGets[`/debug/api/${Path}`] | Promise<ApiGets[`/debug/api/${Path}`]>,
  parameters: readonly Parameter[] = [],
): Route {
  return { ...documentAt(`/debug/api/${path}`, about, body), parameters };
}

/** True when the route requires the token. */
export function isProtected(path: string, route: Route | undefined): boolean {
  if (route?.isOpen === true) return false;
  return route !== undefined || PROTECTED.test(path);
}

/** True when the viewers' token is sufficient. */
export function isForViewers(path: string, method: string, route: Route | undefined): boolean {
  if (!path.startsWith('/debug') || !['GET', 'HEAD'].includes(method)) return false;
  return route?.isForOwners !== true && route?.isMutation !== true;
}

/** The methods of a route, as `Allow` lists them. */
export function allowedMethods({ methods }: Route): string[] {
  return [
    ...(methods.GET === undefined ? [] : ['GET', 'HEAD']),
    ...(methods.POST === undefined ? [] : ['POST']),
  ];
}
