/** Routes of actions: a POST with a JSON body, whose fields are checked. */

import type { ApiPosts } from '#api-types';
import { HttpError, json } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { ActionPath, Route } from './route.ts';

export type Body = Readonly<Record<string, unknown>>;

/** Fields of the response of an action, beside its success. */
export type More<Path extends ActionPath> = Omit<
  ApiPosts[`/debug/api/${Path}`]['response'],
  'status'
>;

/** An action below the debug API, whose response is its success with the fields that `act` returns. */
export function postRoute<Path extends ActionPath>(
  path: Path,
  about: string,
  act: (body: Body, exchange: Exchange) => Promise<More<Path>>,
): Route {
  return {
    path: `/debug/api/${path}`,
    about,
    methods: {
      POST: async (exchange) =>
        json({ status: 'ok', ...(await act(await bodyOf(exchange), exchange)) }),
    },
  };
}

/** A form of another site cannot send this type without a preflight request, which is refused. */
async function bodyOf(exchange: Exchange): Promise<Body> {
  if (!/^application\/json\b/.test(exchange.header('content-type'))) {
    throw new HttpError(415, 'the body must be application/json');
  }
  const content = (await exchange.body()).toString('utf8');
  let body: unknown;
  try {
    body = JSON.parse(content);
  } catch {
    throw new HttpError(400, 'the body is not JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HttpError(400, 'the body must be an object');
  }
  return body as Body;
}

/** Returns a field that must be a whole number of the range. */
export function wholeNumber(body: Body, name: string, least: number, most: number): number {
  const value = body[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  throw new HttpError(400, `${name} must be a whole number from ${least} to ${most}`);
}

/** Returns a field that must be text. */
export function textIn(body: Body, name: string): string {
  const value = body[name];
  if (typeof value === 'string') return value;
  throw new HttpError(400, `${name} must be a string`);
}
