/** State of a client whose next command is held back: by a command that waits, a transaction at a barrier, or a pause. */

import type { CommandError } from '#base';
import type { WaitPort } from '#commands';
import type { AwaitedKey } from './awaited-key.ts';

/**
 * Ends a wait as its time-out would, or with an error. `ended` is called when the wait is over, with true when this is what
 * has ended it.
 */
type EndWait = (error: CommandError | undefined, ended: (isDone: boolean) => void) => void;

export class CommandWait implements WaitPort {
  /** True while the client waits for a reply that was left for later. */
  isBlocked = false;
  /** True while main runs the client's transaction at a barrier: no other command of it is taken meanwhile. */
  isAtBarrier = false;
  /** True while its last command may wait: no other command of it is taken until that is answered. */
  awaitsReply = false;
  /** True while a pause holds its next command back. */
  isPostponed = false;
  /** True when the blocked command was executed, and its reply is pending. */
  isServed = false;
  /** Ends the wait, where the command waited for allows it. */
  unblock: EndWait | undefined;
  /** Called when a reply was delivered and none is outstanding. */
  answered: (() => void) | undefined;
  /** Unix milliseconds since when it is blocked, for reports. */
  blockedSinceMs = 0;
  /** Key that a blocking command waits for; undefined while there is none. */
  awaitedKey: AwaitedKey | undefined;
  /** Sequence of a command on main that has left its reply for later. */
  deferredSequence = 0;

  get canUnblock(): boolean {
    return this.unblock !== undefined;
  }

  /** True when the client's next command must wait for the reply to its last. */
  get isOccupied(): boolean {
    return this.isBlocked || this.isAtBarrier || this.awaitsReply;
  }
}
