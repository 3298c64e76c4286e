/** Lua of a shard, put together: scripts, their requests to main, and the frames that run them. */

import { ScriptControl } from '#link';
import type { ShardUsers } from '../access/shard-users.ts';
import type { ServedSlots } from '../cluster/served-slots.ts';
import type { ExecutionContext } from '../execution/context.ts';
import type { Executor } from '../execution/executor.ts';
import type { KeyEvents } from '../execution/key-events.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { Effects } from '../execution/effects.ts';
import type { MachineOptions } from './machine-options.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import type { KeyUse } from '../observation/key-use.ts';
import type { Lending } from '../lending/lending.ts';
import type { Role } from '../replica/role.ts';
import type { Settings } from '../settings/settings.ts';
import type { Maintenance } from '../timed/maintenance.ts';
import { CalleeCommands } from '../scripts/callee-commands.ts';
import { MainAsks } from '../scripts/main-asks.ts';
import { ScriptFrames } from '../scripts/script-frames.ts';
import { Scripts } from '../scripts/scripts.ts';
import { ShardAsks } from '../scripts/shard-asks.ts';

/** Looks at what is waited for before the thread sleeps: some 25 us, as long as it takes to wake a thread. */
export const SPIN_ROUNDS = 1_000;

interface ShardLuaOptions {
  readonly executor: Executor;
  readonly context: ExecutionContext;
  readonly sender: ReplySender;
  readonly effects: Effects;
  readonly events: KeyEvents;
  readonly users: ShardUsers;
  readonly keyLocks: KeyLocks;
  readonly lending: Lending;
  readonly machine: MachineOptions;
  readonly maintenance: Maintenance;
  readonly keyUse: KeyUse;
  readonly role: Role;
  readonly servedSlots: ServedSlots;
  readonly settings: Settings;
  /** Shows all what was done. */
  show(): void;
  /** Takes a frame while a script stands still; false when there was nothing to do. */
  work(): boolean;
  /** Position in the ring behind the frame at hand. */
  placeBehind(): number;
}

export class ShardLua {
  readonly scripts: Scripts;
  readonly asks: MainAsks;
  readonly frames: ScriptFrames;
  readonly calleeCommands: CalleeCommands;

  constructor(options: ShardLuaOptions) {
    const { machine, maintenance, lending, role, settings } = options;
    const control = new ScriptControl(machine.memory, machine.scriptControlAt);
    this.asks = new MainAsks({
      ...options,
      control,
      work: () => options.work(),
      sleep: (ms, isDue) => {
        const { requests } = machine;
        if (!requests.spin(SPIN_ROUNDS, isDue)) requests.sleep(ms, isDue);
      },
    });
    const { shardExchange: exchange, index: shardIndex, page, clock } = machine;
    this.calleeCommands = new CalleeCommands({ ...options, exchange, shardIndex, page, clock });
    this.scripts = new Scripts({
      ...options,
      asks: this.asks,
      shardAsks:
        exchange && new ShardAsks({ ...options, ...exchange, shardIndex, asks: this.asks }),
      page: machine.page,
      clock: machine.clock,
      control,
      placeBehind: () => options.placeBehind(),
      redisVersion: machine.redisVersion,
      isOutOfMemory: () => maintenance.isOutOfMemory(),
      refusesWrites: (slot) => role.refusesWrites(slot, settings),
      lacksReplicas: () => role.lacksReplicas,
      isStale: () => role.isStale,
    });
    options.context.provide(this.scripts);
    this.frames = new ScriptFrames(this.asks, lending, machine.memory.words);
  }
}
