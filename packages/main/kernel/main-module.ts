/**
 * A module of main as seen by the kernel: a declaration of its hooks and its contributions. The kernel refers to no module by
 * name, and does not look up members of a class by name.
 */

import type { Bytes, CommandError } from '#base';
import type { Arguments, CommandEntry, MessageCommand } from '#commands';
import type { MainAnswers } from '#http';
import type { ModuleMetric } from '#link';
import type { KeptPlace } from '#persistence';
import type { Client, FeedTaker, RedirectTaker } from '#router';
import type { TwoPhaseSetting } from '../settings/two-phase-settings.ts';
import type { MainPorts, PortName } from './main-ports.ts';

/** Reason why a command is not executed now: an error, or `wait` if it is executed later; undefined if it is executed. */
export type Verdict = CommandError | 'wait' | undefined;

/**
 * Places of judges, in the order in which they are called. It is the order of Redis, in which clients see the first refusal:
 * the client, the start of the server, the node of the key, the disk, the replicas, the role. A pause comes last: a command
 * that is refused anyway must not wait.
 */
export const JUDGE_PLACES = [
  'client',
  'start',
  'node',
  'script',
  'disk',
  'replicas',
  'role',
  'pause',
] as const;

export type JudgePlace = (typeof JUDGE_PLACES)[number];

/** Decides on commands before they are sent on. */
export interface Judge {
  /**
   * True if it may refuse this command; without this function it may refuse any. The result is kept for each command until
   * `Gate.changed`, so that a judge with nothing to refuse costs nothing.
   */
  concerns?(entry: CommandEntry): boolean;
  judge(client: Client, entry: CommandEntry, args: Arguments): Verdict;
}

/** Judges of a module by their places. */
export type Judges = Readonly<Partial<Record<JudgePlace, Judge>>>;

/** Hooks of a module that the kernel calls, in the order of the life of a command and of the server. */
export interface MainHooks {
  /** Called with events of keys, as shards send them. */
  readonly keyEvents: (body: Bytes) => void;
  /** Called when a shard has redirected a client to another node. */
  readonly redirected: RedirectTaker;
  /** Called with a message that a client has published, and the name of the command. */
  readonly published: (command: MessageCommand, channel: Bytes, message: Bytes) => void;
  /** Releases the module's state of a client whose connection is closed. */
  readonly left: (client: Client) => void;
  /** Processes pending work of the module, when the replies of a turn are complete and not written yet. */
  readonly endTurn: () => void;
  /** True when there is more to do without new input. */
  readonly hasWork: () => boolean;
  /** Returns false where output may not leave the server now. */
  readonly mayWrite: () => boolean;
  /** Called `server.hz` times a second, or once a second while main is idle. `nowMs` is Unix time. */
  readonly tick: (nowMs: number) => void;
  /** True while the module needs every tick, even if main is idle. */
  readonly awaitsTick: () => boolean;
  /** Called when main has work again. */
  readonly worked: () => void;
  /** True while commands have to wait for the module, although the server has started. */
  readonly isAwaited: () => boolean;
  /** Called when a shard's thread has died. */
  readonly shardDied: (shard: number, reason: unknown) => void;
  /** Called when a front thread has died. */
  readonly frontDied: (thread: string, reason: unknown) => void;
  /** Called after the recovery, with the position in the replication stream if it is known. */
  readonly recovered: (place: KeptPlace | undefined) => void;
  /** Starts the module, once clients are served. */
  readonly start: () => void;
  /** Called when the server starts to stop: no new work may start. */
  readonly stopping: () => void;
  /** Hands over to other servers during the stop, while `hasTime` returns true. */
  readonly leave: (hasTime: () => boolean) => Promise<void>;
  /** Ends the module's own work, after all output to clients and replicas was sent. */
  readonly stop: () => void;
}

/** Section of INFO that a module contributes. */
export interface InfoSection {
  readonly name: string;
  /** Kind of INFO that shows it besides one that names it: a bare one, or one of all. */
  readonly shownBy: 'bare' | 'all' | 'none';
  readonly lines: () => readonly (readonly [name: string, value: string | number])[];
}

export type AnswerName = keyof MainAnswers;

/** Contributions of a module, beside its ports and answers. */
interface Contributions {
  /** Name in messages about the composition. */
  readonly name: string;
  readonly judges?: Judges;
  readonly hooks?: Partial<MainHooks>;
  /** Takes what shards send for replicas. */
  readonly feed?: FeedTaker;
  /** Settings whose change takes time and may fail. */
  readonly setting?: TwoPhaseSetting;
  readonly info?: InfoSection;
  /** Metrics that no row of the table of quantities has. */
  readonly metrics?: readonly ModuleMetric[];
}

interface Declaration<Port extends PortName, Answer extends AnswerName> extends Contributions {
  readonly ports?: Pick<MainPorts, Port>;
  readonly answers?: Pick<MainAnswers, Answer>;
}

/** A declared module. Its type says which ports for commands and which answers for the ops thread it contributes. */
export class MainModule<Port extends PortName = never, Answer extends AnswerName = never> {
  readonly #declaration: Declaration<Port, Answer>;

  constructor(declaration: Declaration<Port, Answer>) {
    this.#declaration = declaration;
  }

  get contributions(): Contributions {
    return this.#declaration;
  }

  get ports(): Partial<MainPorts> {
    return this.#declaration.ports ?? {};
  }

  get answers(): Partial<MainAnswers> {
    return this.#declaration.answers ?? {};
  }
}
