/** A tier thread: serves the disks of its shards, and sleeps while they order nothing. */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { systemClock, unreachable } from '#base';
import {
  Doorbell,
  layoutOf,
  LinkMemory,
  type LinkShape,
  SharedFlag,
  type SharedMemory,
  waitAsMain,
  wakeSleeper,
} from '#link';
import { openExtents } from './extent-file.ts';
import { TierFigures } from './tier-figures.ts';
import { TierService } from './tier-service.ts';

/** Data that main gives a tier thread. */
export interface TierThreadData {
  readonly index: number;
  readonly link: LinkShape;
  readonly memory: WebAssembly.Memory;
  readonly folder: string;
  readonly compresses: boolean;
  readonly shards: readonly {
    readonly index: number;
    readonly figures: SharedMemory;
    readonly port: MessagePort;
  }[];
  /** A flag that is raised when the thread is to end. */
  readonly ending: SharedMemory;
}

/** Says that all disks are open, or why one is not. */
export interface TierThreadAnswer {
  readonly problem: string | undefined;
}

/** Below the threads that clients wait for: what is spilled has time. */
const NICENESS = 5;

/** Runs until main stops it. */
export async function runTierThread(
  data: TierThreadData,
  answer: (message: TierThreadAnswer) => void,
): Promise<void> {
  const memory = new LinkMemory(data.memory);
  const layout = layoutOf(data.link);
  await waitAsMain(memory, layout.doorbell);
  const bell = new Doorbell(memory, layout.tierBells[data.index] ?? unreachable('a bell'));
  const ending = new SharedFlag(data.ending);
  let services: readonly TierService[];
  try {
    services = await Promise.all(
      data.shards.map(async ({ index, figures, port }) => {
        const places = layout.tiers[index] ?? unreachable('a shard has a way to its tier');
        const folder = path.join(data.folder, `shard-${String(index)}`);
        return new TierService({
          memory,
          places,
          figures: new TierFigures(figures),
          disk: await openExtents(folder, data.compresses),
          wake: () => {
            wakeSleeper(memory, layout.requests[index]!);
          },
          send: (body) => {
            port.postMessage(body, [body]);
          },
          receive: () =>
            (receiveMessageOnPort(port) ?? unreachable('a body arrives before its frame'))
              .message as ArrayBuffer,
          nowUs: () => systemClock.nowUs(),
          wallMs: () => systemClock.wallMs(),
        });
      }),
    );
  } catch (error) {
    answer({ problem: error instanceof Error ? error.message : String(error) });
    return;
  }
  lowerPriority();
  answer({ problem: undefined });
  serve(services, bell, () => ending.isRaised);
  for (const service of services) service.close();
  for (const { port } of data.shards) port.close();
}

function serve(services: readonly TierService[], bell: Doorbell, isOver: () => boolean): void {
  const turn = (): boolean => {
    let worked = false;
    for (const service of services) worked = service.turn() || worked;
    return worked;
  };
  while (!isOver()) {
    if (turn()) continue;
    bell.setAsleep();
    // Requests from before the doorbell was armed have not rung it.
    if (!turn() && !isOver()) bell.sleep(Math.min(...services.map(({ restMs }) => restMs)));
    bell.setAwake();
  }
}

function lowerPriority(): void {
  try {
    const thread = Number(path.basename(fs.readlinkSync('/proc/thread-self')));
    os.setPriority(thread, NICENESS);
  } catch {
    // Without it everything works as well, but for the longest waits on few processors.
  }
}
