import type { Command } from '../definition/definition.ts';
import { commandCommands } from './command/command.ts';
import { serverSettings } from './config.ts';
import { serverDebugging } from './debug/debug.ts';
import { serverHotKeys } from './hotkeys/hotkeys.ts';
import { serverArt } from './lolwut.ts';
import { serverMemory } from './memory.ts';
import { serverModules } from './module.ts';
import { monitor } from './monitor.ts';
import { failoverCommands } from './replicas/failover.ts';
import { primaryCommands } from './replicas/primary.ts';
import { serverSaving } from './save.ts';
import { serverReplication } from './replication.ts';
import { serverEnding } from './shutdown.ts';
import { serverStatus } from './status.ts';
import { time } from './time.ts';
import { serverWaits } from './replicas/wait.ts';

export const serverCommands: readonly Command[] = [
  ...commandCommands,
  ...serverSettings,
  ...serverMemory,
  ...serverModules,
  monitor,
  time,
  ...serverReplication,
  ...primaryCommands,
  ...serverWaits,
  ...failoverCommands,
  ...serverArt,
  ...serverDebugging,
  ...serverSaving,
  ...serverEnding,
  ...serverStatus,
  ...serverHotKeys,
];
