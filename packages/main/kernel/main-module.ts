/** A part of main, as the kernel knows it: what it takes part in. The kernel knows no part by its name. */

import type { Bytes, CommandError } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import type { KeptPlace } from '#persistence';
import type { OwnedReply } from '#resp';
import type { Client, FeedTaker, RedirectTaker } from '#router';

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

/** Part in the turns of main's loop. */
export interface TurnWork {
  /** Takes what has come up, when the replies of a turn are there and not written yet. */
  endTurn(): void;
  /** True when there is more to do without anything new. */
  readonly hasWork?: boolean;
}

/** Everything that a part may take part in; it has what it needs of it. */
export interface MainModule {
  readonly judges?: Readonly<Partial<Record<JudgePlace, Judge>>>;
  readonly turn?: TurnWork;
  /** Takes what shards send for replicas. */
  readonly feed?: FeedTaker;
  /** Takes events of keys, as shards send them. */
  keyEvents?(body: Bytes): void;
  /** Hears that a shard has sent a client to another node. */
  readonly redirected?: RedirectTaker;
  /** Runs a command of main. */
  runCommand?(client: Client, entry: CommandEntry, args: Arguments, reply: OwnedReply): void;
  /** Ends what a client had here: its connection is closed. */
  left?(client: Client): void;
  /** Returns false where output may not leave the server now. */
  mayWrite?(): boolean;
  /** Does what is done `server.hz` times a second, or once where main is idle. `nowMs` is Unix time. */
  tick?(nowMs: number): void;
  /** True while something of it ends between two seconds, also where main is idle. */
  readonly awaitsTick?: boolean;
  /** Hears that main has work again. */
  worked?(): void;
  /** True while commands have to wait for it, though the server has started. */
  readonly isAwaited?: boolean;
  /** Hears that the data are back, at a place in the stream of replication if that is known. */
  recovered?(place: KeptPlace | undefined): void;
  /** Begins, once clients are served. */
  start?(): void;
  /** Begins nothing more: the server stops. */
  stopping?(): void;
  /** Gives other servers what is theirs, while there is time. */
  leave?(hasTime: () => boolean): Promise<void>;
  /** Ends what it does by itself: clients and replicas have all that is theirs. */
  stop?(): void;
}
