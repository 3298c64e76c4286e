/** Puts the executor of a machine together. */

import type { CommandEntry } from '#commands';
import type { MachineComponents } from './machine-components.ts';
import type { MachineOptions } from './machine-options.ts';
import { TracedCommands } from '../observation/traced-commands.ts';
import { Executor } from '../execution/executor.ts';
import type { Frame } from '../frames/frame.ts';

/** Told by the executor of commands that end otherwise than at once. */
interface ExecutorListener {
  /** A command has found nothing and waits, or takes long. */
  putOff(frame: Frame): void;
  /** A command that has waited was run and answered. */
  answered(frame: Frame): void;
}

export function newExecutor(
  options: MachineOptions,
  base: MachineComponents,
  listener: ExecutorListener,
): Executor {
  const { page, clock, memory, journal } = options;
  const { store, sender } = base;
  const makeRoomFor = ({ deniesOom }: CommandEntry): void => {
    if (deniesOom) base.maintenance.makeRoomBefore();
  };
  const evicted = (): number => store.stats.evicted;
  const waitsForDisk = (): boolean => journal?.holdsReplies === true;
  const traced = new TracedCommands({ sender, clock, evicted, makeRoomFor, waitsForDisk });
  return new Executor({
    traced,
    makeRoomFor,
    keyUse: base.keyUse,
    store,
    context: base.context,
    args: base.args,
    sender,
    page,
    clock,
    events: base.events,
    effects: base.effects,
    watches: base.watches,
    linkWords: memory.words,
    slowness: base.slowness,
    users: base.users,
    journal,
    role: base.role,
    openSlots: base.openSlots,
    isStopped: base.isStopped,
    ...listener,
  });
}
