/** Creates the watches of the ops thread. */

import { type LogFields, type Logger, systemClock } from '#base';
import type { Observer } from '#observer';
import type { HttpLiveSettings } from '../views/settings.ts';
import { EvictionWatch } from './eviction-watch.ts';
import type { MainClient } from './main-client.ts';
import { MainWatch } from './main-watch.ts';
import { ReplicaWatch } from './replica-watch.ts';
import {
  type ClientName,
  type CommandDetails,
  type RunningCommand,
  ShardWatch,
} from './shard-watch.ts';
import { Watches } from './watches.ts';

/** Longest wait for the name of a client, in milliseconds. */
const CLIENT_MS_MAX = 200;

interface NewWatchesOptions {
  readonly observer: Observer;
  readonly mainClient: MainClient;
  readonly logger: Logger;
  readonly settings: () => HttpLiveSettings;
}

export function newWatches({ observer, mainClient, logger, settings }: NewWatchesOptions): Watches {
  const { main, shards, fronts, commandNames } = observer;
  const log: Log = (level, event, message, fields) => {
    logger[level](event, message, fields);
  };
  const clientIn = async (slot: number): Promise<ClientName | null> => {
    try {
      return await mainClient.ask('client-name', slot, CLIENT_MS_MAX);
    } catch {
      return null;
    }
  };
  const watches = [
    new MainWatch({ main, fronts, commandNames, log }),
    new ShardWatch({
      main,
      shards,
      clientIn,
      log,
      running: (shard, nowUs) => runningIn(observer, shard, nowUs),
      detailsOf: (shard) => detailsOf(observer, shard),
      slowScriptMs: () => settings().slowScriptMs,
      wallMs: () => systemClock.wallMs(),
    }),
    new EvictionWatch({
      main,
      shards,
      log,
      policy: () => settings().maxmemoryPolicy,
      memoryLimitBytes: () => settings().status.memoryLimitBytes,
    }),
    new ReplicaWatch({ main, shards, log, minReplicas: () => settings().minReplicas }),
  ];
  return new Watches({ main, shards, watches, nowUs: () => systemClock.nowUs() });
}

function runningIn(
  { shards, commandNames }: Observer,
  shard: number,
  nowUs: number,
): RunningCommand | null {
  const page = shards[shard]!;
  const command = commandNames[page.get('executing') - 1];
  if (command === undefined) return null;
  const elapsedUs = Math.max(0, nowUs - page.get('executingSinceUs'));
  return { command, slot: page.get('executingClient'), elapsedUs };
}

/** The table of commands is loaded for it: a thread that starts need not. */
async function detailsOf({ shards, memory }: Observer, shard: number): Promise<CommandDetails> {
  const page = shards[shard]!;
  const sinceUs = page.get('executingSinceUs');
  const { commandDetails } = await import('./command-details.ts');
  const details = commandDetails(page, memory);
  // Meanwhile the shard may execute another command.
  return page.get('executingSinceUs') === sinceUs ? details : { key: null, script: null };
}

type Log = (
  level: 'error' | 'warn' | 'info',
  event: string,
  message: string,
  fields?: LogFields,
) => void;
