/**
 * A part of main, as the kernel knows it: a declaration of what it takes part in and what it contributes. The kernel knows no
 * part by its name, and joins nothing by the names of a class's members.
 */

import type { Bytes, CommandError } from '#base';
import type { Arguments, CommandEntry, MessageCommand } from '#commands';
import type { MainAnswers } from '#http';
import type { ModuleMetric } from '#link';
import type { KeptPlace } from '#persistence';
import type { Client, FeedTaker, RedirectTaker } from '#router';
import type { TwoPhaseSetting } from '../settings/two-phase-settings.ts';
import type { MainPorts, PortName } from './main-ports.ts';

/** Reason why a command is not run now; `wait` where it is run later, undefined where it is run. */
export type Verdict = CommandError | 'wait' | undefined;

/**
 * Places of judges, in the order in which they are asked. It is that of Redis, of which clients see the first refusal: who
 * asks, whether the server is there, where the key is, the disk, the replicas, the role. A pause comes last: what would be
 * refused is not held back.
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
   * Returns whether it may refuse this command at all; every command where it is left out. The result is kept for each
   * command until `Gate.changed`, so that a judge with nothing to refuse costs nothing.
   */
  concerns?(entry: CommandEntry): boolean;
  judge(client: Client, entry: CommandEntry, args: Arguments): Verdict;
}

/** Judges of a module by their places. */
export type Judges = Readonly<Partial<Record<JudgePlace, Judge>>>;

/** Calls of the kernel to a module, in the order of a command's and a server's life. */
export interface MainHooks {
  /** Called with events of keys, as shards send them. */
  readonly keyEvents: (body: Bytes) => void;
  /** Called when a shard has sent a client to another node. */
  readonly redirected: RedirectTaker;
  /** Called with a message that a client has published, and the name of the command. */
  readonly published: (command: MessageCommand, channel: Bytes, message: Bytes) => void;
  /** Ends what a client had here: its connection is closed. */
  readonly left: (client: Client) => void;
  /** Processes pending work of the module, when the replies of a turn are complete and not written yet. */
  readonly endTurn: () => void;
  /** Returns true when there is more to do without anything new. */
  readonly hasWork: () => boolean;
  /** Returns false where output may not leave the server now. */
  readonly mayWrite: () => boolean;
  /** Does what is done `server.hz` times a second, or once where main is idle. `nowMs` is Unix time. */
  readonly tick: (nowMs: number) => void;
  /** Returns true while something of it ends between two seconds, also where main is idle. */
  readonly awaitsTick: () => boolean;
  /** Called when main has work again. */
  readonly worked: () => void;
  /** Returns true while commands have to wait for it, though the server has started. */
  readonly isAwaited: () => boolean;
  /** Called when a shard's thread has died. */
  readonly shardDied: (shard: number, reason: unknown) => void;
  /** Called when a front thread has died. */
  readonly frontDied: (thread: string, reason: unknown) => void;
  /** Called when the data are back, at a place in the stream of replication if that is known. */
  readonly recovered: (place: KeptPlace | undefined) => void;
  /** Begins, once clients are served. */
  readonly start: () => void;
  /** Begins nothing more: the server stops. */
  readonly stopping: () => void;
  /** Gives other servers what is theirs, while there is time. */
  readonly leave: (hasTime: () => boolean) => Promise<void>;
  /** Ends what it does by itself: clients and replicas have all that is theirs. */
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
