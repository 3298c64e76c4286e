/** Lua of a shard: scripts, their requests to main, the frames that run them, and what scripts of other shards call here. */

import type { Clock } from '#base';
import { ScriptControl, type LinkMemory, type RingReader } from '#link';
import { READ_ONLY_FUNCTIONS, SCRIPT_STATS, STATELESS_FUNCTIONS, type Page } from '#stats';
import type { ShardUsers } from '../access/shard-users.ts';
import type { ServedSlots } from '../cluster/served-slots.ts';
import type { ExecutionContext } from '../execution/context.ts';
import type { Effects } from '../execution/effects.ts';
import type { Executor } from '../execution/executor.ts';
import type { KeyEvents } from '../execution/key-events.ts';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import type { Frame } from '../frames/frame.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { Lending } from '../lending/lending.ts';
import type { ControlTakers, FrameTakers, ShardModule } from '../modules/shard-module.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import type { KeyUse } from '../observation/key-use.ts';
import type { Role } from '../replica/role.ts';
import type { Settings } from '../settings/settings.ts';
import type { MemoryRoom } from '../timed/memory-room.ts';
import { RemoteCommands } from './remote-commands.ts';
import { MainRequests } from './main-requests.ts';
import { ScriptFrames } from './script-frames.ts';
import { Scripts } from './scripts.ts';
import { ShardRequests, type ShardExchange } from './shard-requests.ts';

/** Rounds of polling before the thread sleeps: about 25 us, as long as waking a thread takes. */
export const SPIN_ROUNDS = 1_000;

interface ScriptModuleOptions {
  readonly executor: Executor;
  readonly context: ExecutionContext;
  readonly sender: ReplySender;
  readonly effects: Effects;
  readonly events: KeyEvents;
  readonly users: ShardUsers;
  readonly keyLocks: KeyLocks;
  readonly lending: Lending;
  readonly room: MemoryRoom;
  readonly keyUse: KeyUse;
  readonly role: Role;
  readonly servedSlots: ServedSlots;
  readonly settings: Settings;
  readonly index: number;
  readonly page: Page;
  readonly clock: Clock;
  readonly memory: LinkMemory;
  readonly requests: RingReader;
  /** Place in the link memory of the words about the script that runs. */
  readonly scriptControlAt: number;
  /** Undefined where a script reaches other shards by way of main only. */
  readonly shardExchange?: ShardExchange;
  /** Publishes replies and effects. */
  show(): void;
  /** Processes a frame while a script waits; false if there was none. */
  work(): boolean;
  /** Position in the ring after the current frame. */
  placeBehind(): number;
}

export class ScriptModule implements ShardModule {
  readonly scripts: Scripts;
  readonly arrivals: RemoteCommands;
  readonly frames: FrameTakers;
  readonly runScript: (frame: Frame) => void;
  readonly controls: ControlTakers = {
    'watch-calls': ({ isOn }) => {
      this.scripts.areCallsWatched = isOn;
    },
    'forget-scripts': ({ digest }) => {
      this.scripts.forget(digest);
    },
  };

  constructor(options: ScriptModuleOptions) {
    const { requests, memory, context, executor, shardExchange: exchange, index } = options;
    const control = new ScriptControl(memory, options.scriptControlAt);
    const mainRequests = new MainRequests({
      ...options,
      control,
      sleep: (ms, isDue) => {
        if (!requests.spin(SPIN_ROUNDS, isDue)) requests.sleep(ms, isDue);
      },
    });
    this.arrivals = new RemoteCommands({ ...options, exchange, shardIndex: index });
    this.scripts = new Scripts({
      ...options,
      ...shardStateOf(options),
      mainRequests,
      shardRequests:
        exchange && new ShardRequests({ ...options, ...exchange, shardIndex: index, mainRequests }),
      control,
    });
    context.provide(this.scripts);
    const scriptFrames = new ScriptFrames(mainRequests, options.lending, memory.words);
    this.runScript = (frame) => {
      scriptFrames.run(frame, (detached) => executor.runCommand(detached, false));
    };
    this.frames = {
      exec: (frame) => {
        scriptFrames.beginTransaction(frame);
      },
      script: (frame) => {
        this.scripts.learnFrom(frame.body);
      },
      ask: (frame) => {
        mainRequests.take(frame);
      },
    };
  }

  answer(answerers: CallAnswerers): void {
    const { scripts } = this;
    answerers.on(SCRIPT_STATS, () => scripts.stats.figures);
    answerers.on(READ_ONLY_FUNCTIONS, () => scripts.readOnlyFunctions);
    answerers.on(STATELESS_FUNCTIONS, () => scripts.statelessFunctions);
  }

  apply(settings: Settings): void {
    this.scripts.apply(settings);
  }

  resetStatistics(): void {
    this.scripts.stats.reset();
  }
}

/** Facts about the server that scripts have to know before they do anything. */
function shardStateOf({ room, role, settings }: ScriptModuleOptions): {
  isOutOfMemory(): boolean;
  refusesWrites(slot: number): boolean;
  lacksReplicas(): boolean;
  isStale(): boolean;
} {
  return {
    isOutOfMemory: () => room.isOutOfMemory(),
    refusesWrites: (slot) => role.refusesWrites(slot, settings),
    lacksReplicas: () => role.lacksReplicas,
    isStale: () => role.isStale,
  };
}
