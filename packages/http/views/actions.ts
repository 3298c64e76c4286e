/** Actions of the debug pages, and reports that only they ask for. Main carries them out as it does for a command. */

import { COMMAND_LOG_KINDS, type CommandLogKind, isCommandLogKind } from '#base';
import type { HotKeysDocument, SettingsFactsDocument, ThreadsDocument } from '#api-types';
import { HttpError } from '../protocol/answer.ts';
import { type Body, type More, postRoute, textIn, wholeNumber } from '../protocol/body.ts';
import { threadReports } from './api-figures.ts';
import type { ActionAnswer, HotKeysOptions } from '../ops/page-calls.ts';
import { type ActionPath, documentRoute, type Route } from '../protocol/route.ts';
import type { OpsContext } from '../ops/ops-context.ts';

/** Actions whose response has only their success. */
type SimplePath = {
  [Path in ActionPath]: keyof More<Path> extends never ? Path : never;
}[ActionPath];

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

export function actionRoutes(context: OpsContext): Route[] {
  return [...pageRoutes(context), ...changeRoutes(context), ...resetRoutes(context)];
}

/** Documents that only the pages read, and sessions of hot keys. */
function pageRoutes({ clock, mainClient, fixed, observer }: OpsContext): Route[] {
  return [
    documentRoute(
      'config/defaults',
      'Default, section, allowed values and unit of each setting.',
      (): SettingsFactsDocument => ({ defaults: fixed.defaults, settings: fixed.settingFacts }),
    ),
    postRoute(
      'config/check',
      'Returns the change that config/set of {"name", "value"} would make; nothing is changed.',
      async (body) => {
        const pair = { name: textIn(body, 'name'), value: textIn(body, 'value') };
        const { problem, check } = await mainClient.ask('check-setting', pair);
        if (check === null) throw new HttpError(409, problem);
        return { check };
      },
    ),
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
  ];
}

/** Actions that change the server. */
function changeRoutes({ mainClient, observer }: OpsContext): Route[] {
  return [
    postRoute(
      'clients/kill',
      'Disconnects a client: {"id"}, or several: {"ids"}.',
      async (body) => {
        if (body['ids'] !== undefined) {
          return { killed: await mainClient.ask('kill-clients', { ids: clientIds(body) }) };
        }
        const id = wholeNumber(body, 'id', 0, Number.MAX_SAFE_INTEGER);
        return done(await mainClient.ask('kill-client', { id }));
      },
    ),
    post('config/set', 'Changes a setting while the server runs: {"name", "value"}.', (body) =>
      mainClient.ask('set-setting', { name: textIn(body, 'name'), value: textIn(body, 'value') }),
    ),
    post('snapshot', 'Starts a snapshot, as BGSAVE does.', async () =>
      snapshotProblem(await mainClient.ask('snapshot', null)),
    ),
    post('scripts/kill', 'Stops a running script that has not written: {"shard", "run"}.', (body) =>
      mainClient.ask('kill-script', {
        shard: wholeNumber(body, 'shard', 0, observer.shards.length - 1),
        run: wholeNumber(body, 'run', 1, Number.MAX_SAFE_INTEGER),
      }),
    ),
  ];
}

function resetRoutes({ mainClient }: OpsContext): Route[] {
  return [
    post(
      'slowlog/reset',
      'Resets the slow log, or that of large requests or replies: {"kind"}.',
      (body) => mainClient.ask('slowlog-reset', { kind: logKind(body) }),
    ),
    post('key-fates/reset', 'Clears the recorded key removals; the counts stay.', () =>
      mainClient.ask('key-fates-reset', null),
    ),
    post('latency/reset', 'Resets the latency events.', () =>
      mainClient.ask('latency-reset', null),
    ),
  ];
}

function post(path: SimplePath, about: string, act: (body: Body) => Promise<ActionAnswer>): Route {
  return postRoute(path, about, async (body) => done(await act(body)));
}

/** Throws a refusal, which has the reason and the words of the command. */
function done(problem: ActionAnswer): object {
  if (problem !== null) throw new HttpError(409, problem);
  return {};
}

function logKind(body: Body): CommandLogKind {
  const kind = textIn({ kind: 'slow', ...body }, 'kind');
  if (isCommandLogKind(kind)) return kind;
  throw new HttpError(400, `kind must be one of ${COMMAND_LOG_KINDS.join(', ')}`);
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

function snapshotProblem(outcome: 'started' | 'busy' | 'nothing-kept'): ActionAnswer {
  if (outcome === 'started') return null;
  return outcome === 'busy'
    ? 'a snapshot is already running'
    : 'nothing is kept on disk: persistence.enabled is off';
}

/** Most clients that are disconnected at once. */
const IDS_MAX = 1_000;

function clientIds({ ids }: Body): readonly number[] {
  const isGood =
    Array.isArray(ids) &&
    ids.length > 0 &&
    ids.length <= IDS_MAX &&
    ids.every((id) => Number.isSafeInteger(id) && id >= 0);
  if (isGood) return ids as number[];
  throw new HttpError(400, `ids must be a list of 1 to ${IDS_MAX} client ids`);
}
