/** Running scripts of shards as seen by main: start, command and log output. */

import type { Logger } from '#base';
import type { Settings } from '#config';
import type { ScriptControl } from '#link';
import { commandIn, scriptIn } from '#observer';
import type { ServerMemory } from '#main';

const EVENT = 'script-log';

interface RunningScripts {
  readonly controls: readonly ScriptControl[];
  readonly sinceUs: (shard: number) => number;
  readonly commandOf: (shard: number) => readonly string[];
  readonly nameOf: (shard: number) => string | null;
  readonly lineOf: (shard: number) => number;
  readonly thresholdMs: () => number;
  readonly log: (level: number, message: string) => void;
}

export function runningScripts(
  serverMemory: ServerMemory,
  settings: Settings,
  log: Logger,
): RunningScripts {
  const { shardPages, memory } = serverMemory;
  return {
    controls: serverMemory.scriptControls(),
    sinceUs: (shard) => shardPages[shard]!.get('scriptSinceUs'),
    commandOf: (shard) => commandIn(shardPages[shard]!, memory),
    lineOf: (shard) => shardPages[shard]!.get('scriptLine'),
    nameOf: (shard) => scriptIn(shardPages[shard]!, memory),
    thresholdMs: () => settings.number('scripting.busy-reply-threshold-ms'),
    log: (level, message) => {
      writeLine(log, level, message);
    },
  };
}

/** Writes a line at a level of Redis: debug, verbose, notice, warning. */
function writeLine(log: Logger, level: number, message: string): void {
  if (level <= 0) log.debug(EVENT, message);
  else if (level <= 2) log.info(EVENT, message);
  else log.warn(EVENT, message);
}
