/** Actions of the debug pages, and reports that only they ask for. Main carries them out as it does for a command. */

import type { HotKeysDocument, ThreadsDocument } from '#api-types';
import { HttpError, json } from '../protocol/answer.ts';
import { threadReports } from './api-figures.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { ActionAnswer, HotKeysOptions } from '../ops/page-calls.ts';
import { documentRoute, type Route } from '../protocol/route.ts';
import type { OpsContext } from '../ops/ops-context.ts';

type Body = Readonly<Record<string, unknown>>;

/** There is no session. */
const IDLE: HotKeysDocument = {
  state: 'idle',
  metrics: [],
  count: null,
  sample_ratio: null,
  duration_ms: null,
  collection_duration_ms: null,
  total_cpu_time_us: null,
  total_net_bytes: null,
  missing_shards: [],
  keys: [],
};

export function actionRoutes({ clock, mainClient, fixed, observer }: OpsContext): Route[] {
  return [
    documentRoute('config/defaults', 'Default of each setting.', () => ({
      defaults: fixed.defaults,
    })),
    documentRoute('latency/history', 'Latency events with the worst of each second.', async () => ({
      events: await mainClient.ask('latency-history', null),
    })),
    documentRoute(
      'threads',
      'CPU, heap, garbage collection and event-loop delay of each thread.',
      (): ThreadsDocument => ({
        time_ms: clock.wallMs(),
        threads: threadReports(observer),
      }),
    ),
    documentRoute('hotkeys', 'The current hot-key session with its results.', async () => {
      return (await mainClient.ask('hot-keys', null)) ?? IDLE;
    }),
    documentRoute('hotkeys/window', 'Hottest keys of the last complete window.', () =>
      mainClient.ask('hot-window', null),
    ),
    post('hotkeys/start', 'Starts a hot-key session.', (body) =>
      mainClient.ask('hot-keys-start', hotKeysOptions(body)),
    ),
    post('hotkeys/stop', 'Stops the hot-key session.', () => mainClient.ask('hot-keys-stop', null)),
    post('hotkeys/reset', 'Discards the results of a hot-key session.', () =>
      mainClient.ask('hot-keys-reset', null),
    ),
    post('clients/kill', 'Disconnects a client: {"id"}.', (body) =>
      mainClient.ask('kill-client', { id: wholeNumber(body, 'id', 0, Number.MAX_SAFE_INTEGER) }),
    ),
    post('config/set', 'Changes a setting while the server runs: {"name", "value"}.', (body) =>
      mainClient.ask('set-setting', { name: text(body, 'name'), value: text(body, 'value') }),
    ),
    post('slowlog/reset', 'Resets the slow log.', () => mainClient.ask('slowlog-reset', null)),
    post('key-fates/reset', 'Clears the recorded key removals; the counts stay.', () =>
      mainClient.ask('key-fates-reset', null),
    ),
    post('latency/reset', 'Resets the latency events.', () =>
      mainClient.ask('latency-reset', null),
    ),
  ];
}

function post(path: string, about: string, act: (body: Body) => Promise<ActionAnswer>): Route {
  return {
    path: `/debug/api/${path}`,
    about,
    methods: {
      POST: async (exchange) => {
        const problem = await act(await bodyOf(exchange));
        // What is refused is so for the same reason, and in the same words, as the command is.
        if (problem !== null) throw new HttpError(409, problem);
        return json({ status: 'ok' });
      },
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

function hotKeysOptions(body: Body): HotKeysOptions {
  const metrics = body['metrics'] ?? ['cpu', 'net'];
  const isGood =
    Array.isArray(metrics) &&
    metrics.length > 0 &&
    metrics.every((metric) => metric === 'cpu' || metric === 'net') &&
    new Set(metrics).size === metrics.length;
  if (!isGood) throw new HttpError(400, 'metrics must be cpu, net or both');
  return {
    metrics: metrics as HotKeysOptions['metrics'],
    count: wholeNumber({ count: 10, ...body }, 'count', 1, 100),
    durationMs: wholeNumber({ duration_ms: 0, ...body }, 'duration_ms', 0, 86_400_000),
    sample: wholeNumber({ sample: 1, ...body }, 'sample', 1, 1_000_000_000),
  };
}

function wholeNumber(body: Body, name: string, least: number, most: number): number {
  const value = body[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  throw new HttpError(400, `${name} must be a whole number from ${least} to ${most}`);
}

function text(body: Body, name: string): string {
  const value = body[name];
  if (typeof value === 'string') return value;
  throw new HttpError(400, `${name} must be a string`);
}
