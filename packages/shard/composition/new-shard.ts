/** Puts a shard together: the one place that knows all of its parts. */

import type { ShardScripts } from '#commands';
import { resetStatisticsCall } from '#stats';
import { SlotsModule } from '../cluster/slots-module.ts';
import { ShardMachine } from '../machine/machine.ts';
import { ShardModules } from '../modules/shard-modules.ts';
import type { ShardModule } from '../modules/shard-module.ts';
import { Replay } from '../recovery/replay.ts';
import { FeedModule } from '../replication/feed-module.ts';
import { ScriptModule } from '../scripts/script-module.ts';
import { SnapshotModule } from '../snapshot/snapshot-module.ts';
import { WarmModule } from '../warm/warm-module.ts';
import { newCommandParts, type CommandParts } from './command-parts.ts';
import { CoreModule } from './core-module.ts';
import type { MachineOptions } from './machine-options.ts';
import type { MachineWays } from './machine-ways.ts';
import { newLinks, type ShardLinks } from './shard-links.ts';
import { newExecutingParts, type ExecutingParts } from './executing-parts.ts';

export interface Shard {
  readonly machine: ShardMachine;
  /** Lua: scripts and libraries of functions. */
  readonly scripts: ShardScripts;
}

export function newShard(options: MachineOptions): Shard {
  const ways: MachineWays = {
    dispatch: (frame, names) => {
      machine.dispatch(frame, names);
    },
    settle: () => machine.settle(),
    show: () => {
      machine.flush();
    },
    work: () => machine.deferredWork(),
    placeBehind: () => machine.placeBehind,
    putOff: (frame) => {
      machine.putOff(frame);
    },
    answered: (frame) => {
      machine.answered(frame);
    },
  };
  const links = newLinks(options, ways);
  const executing = { ...links, ...newExecutingParts(options, links, ways) };
  const parts = { ...executing, ...newCommandParts(options, executing, ways) };
  const core = new CoreModule(options, parts);
  const lua = new ScriptModule({ ...options, ...parts, ...ways, room: parts.maintenance.room });
  const { answerers, settings } = parts;
  const modules = new ShardModules(
    [...featuresOf(options, parts, ways, lua.scripts), lua, core],
    answerers,
  );
  answerers.on(resetStatisticsCall, () => {
    modules.resetStatistics();
    return null;
  });
  const replay = new Replay({ ...parts, shardIndex: options.index });
  const machine = new ShardMachine(options, { ...parts, replay, core, modules });
  settings.follow((changed) => {
    modules.apply(changed);
  });
  machine.begin();
  return { machine, scripts: lua.scripts };
}

/** Features of a shard besides commands and scripts: a new one is one line here. */
function featuresOf(
  options: MachineOptions,
  parts: ShardLinks & ExecutingParts & CommandParts,
  ways: MachineWays,
  scripts: ShardScripts,
): readonly ShardModule[] {
  const { tier, localTier } = options;
  const isTiered = tier !== undefined || localTier !== undefined;
  return [
    new SnapshotModule({ ...parts, scripts }),
    new FeedModule({ ...options, ...parts, scripts }),
    new SlotsModule(parts),
    ...(isTiered ? [newWarmModule(options, parts, ways)] : []),
  ];
}

function newWarmModule(
  options: MachineOptions,
  parts: ShardLinks & ExecutingParts & CommandParts,
  ways: MachineWays,
): WarmModule {
  const { lending, maintenance, warmValues: values } = parts;
  return new WarmModule({
    ...options,
    ...parts,
    shardIndex: options.index,
    values,
    figures: options.tier?.figures,
    room: maintenance.room,
    keysOf: (frame) => lending.keysOf(frame),
    show: () => {
      ways.show();
    },
  });
}
