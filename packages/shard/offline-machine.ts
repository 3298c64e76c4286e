/** A shard's machine without clients, which loads files into a store. */

import path from 'node:path';
import { systemClock } from '#base';
import { commandTable, databaseCountOf, type ShardSettingValues } from '#commands';
import { allocateShared, layoutOf, LinkMemory, RingReader, RingWriter } from '#link';
import { DataFolder, isProblem, logFolder, realDisk, snapshotsFolder } from '#persistence';
import { Page, ThreadProfiler } from '#stats';
import type { Store, WarmOutlet } from '#store';
import { newShard, type Shard } from './composition/new-shard.ts';
import { Recovery } from './recovery/recovery.ts';

const RING_BYTES = 64 * 1024;

/**
 * Reads the files of one shard while the server that writes them is running. Throws an error that describes invalid
 * data.
 */
export function readShard(folder: string, options: ReadOptions): Store {
  for (;;) {
    const before = namesOfFiles(folder);
    try {
      return readFiles(folder, options);
    } catch (error) {
      // A snapshot that has become whole meanwhile takes the files away that it replaces.
      const after = new Set(namesOfFiles(folder));
      if (before.every((name) => after.has(name))) throw error;
    }
  }
}

/** Paths of all snapshots and segments. */
function namesOfFiles(folder: string): readonly string[] {
  const under = (parent: string): string[] =>
    realDisk.list(parent).map((name) => path.join(parent, name));
  return [...under(snapshotsFolder(folder)), ...under(logFolder(folder)).flatMap(under)];
}

function readFiles(folder: string, options: ReadOptions): Store {
  const page = offlinePage(options.settings);
  const { machine } = offlineShard({ ...options, page, usedBytesOfAll: () => 0 });
  const found = new DataFolder(folder);
  if (found.isEmpty) return machine.store;
  machine.beginReplay();
  const { store, replay } = machine;
  const outcome = new Recovery({ store, replay, page }).run(
    found.plan(0).shards[options.index]!,
    false,
  );
  if (isProblem(outcome)) throw new Error(outcome.message);
  return store;
}

/** Creates a page for a machine without clients. */
export function offlinePage(settings: ShardSettingValues): Page {
  const shape = {
    databases: databaseCountOf({
      number: (name) => settings[name],
      boolean: (name) => settings[name],
    }),
    commands: commandTable.entries.length,
    errorCodes: 64,
  };
  return new Page(shape, allocateShared(Page.bytes(shape)));
}

interface ReadOptions {
  readonly index: number;
  readonly shards: number;
  readonly settings: ShardSettingValues;
}

interface OfflineMachineOptions extends ReadOptions {
  readonly page: Page;
  /** Takes values for which there is no room; without one everything is in memory. */
  readonly tier?: WarmOutlet | undefined;
  /** Bytes that all machines use together. */
  readonly usedBytesOfAll: () => number;
}

/** Creates a shard without clients. */
export function offlineShard({
  index,
  shards,
  page,
  settings,
  tier,
  usedBytesOfAll,
}: OfflineMachineOptions): Shard {
  const shape = {
    shards: 1,
    requestRingBytes: RING_BYTES,
    replyRingBytes: RING_BYTES,
    logRingBytes: 0,
    readBytes: 64,
    blocks: 1,
    blockBytes: 64,
  };
  const layout = layoutOf(shape);
  const memory = LinkMemory.allocate(layout.bytes);
  return newShard({
    index,
    shardCount: shards,
    memory,
    page,
    settings,
    clock: systemClock,
    requests: new RingReader(memory, layout.requests[0]!),
    replies: new RingWriter(memory, layout.replies[0]!),
    outlet: { ring: () => undefined, transfer: () => undefined },
    receive: () => new ArrayBuffer(0),
    random: Math.random,
    seed: new Uint8Array(16),
    sleep: () => undefined,
    usedBytesOfAll,
    localTier: tier,
    flight: { note: () => undefined },
    profiler: new ThreadProfiler(),
    workspaceAt: layout.workspaces[0]!,
    scriptControlAt: layout.scripts[0]!,
    // No scripts run here, but libraries are loaded.
    takeLogIds: () => 0,
    nextRemovedKeyId: () => 0,
  });
}
