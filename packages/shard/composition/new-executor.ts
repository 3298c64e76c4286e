/** Puts the executor of a machine together. */

import type { CommandEntry } from '#commands';
import type { MachineOptions } from './machine-options.ts';
import type { MachineWays } from './machine-ways.ts';
import type { ShardLinks } from './shard-links.ts';
import type { StoreParts } from './store-parts.ts';
import { TracedCommands } from '../observation/traced-commands.ts';
import { Executor } from '../execution/executor.ts';

export function newExecutor(
  options: MachineOptions,
  links: ShardLinks,
  parts: StoreParts,
  ways: Pick<MachineWays, 'putOff' | 'answered'>,
): Executor {
  const { page, clock, memory, journal } = options;
  const { store, maintenance } = parts;
  const { sender } = links;
  const makeRoomFor = ({ deniesOom }: CommandEntry): void => {
    if (deniesOom) maintenance.room.makeRoomBefore();
  };
  const evicted = (): number => store.stats.evicted;
  const waitsForDisk = (): boolean => journal?.holdsReplies === true;
  const traced = new TracedCommands({ sender, clock, evicted, makeRoomFor, waitsForDisk });
  return new Executor({
    ...links,
    ...parts,
    traced,
    makeRoomFor,
    page,
    clock,
    linkWords: memory.words,
    journal,
    putOff: (frame) => {
      ways.putOff(frame);
    },
    answered: (frame) => {
      ways.answered(frame);
    },
  });
}
