/** The kernel of main: settings, memory, threads, the loop and its turns, the log. Every module of main uses it. */

import { randomBytes } from 'node:crypto';
import { type Clock, type Logger, systemClock } from '#base';
import type { Settings } from '#config';
import { type BlockPool, type EpollParts, openLoop, type ThreadLoop, type TlsOptions } from '#net';
import { RunningTrace, type ShardLink } from '#router';
import type { Page } from '#stats';
import { ConnectedClients } from '#access';
import { readOutgoingTls, tlsOptions, valuesOf } from '#clients';
import { MainLatency, mainLog } from '#diagnostics';
import {
  FrontPool,
  Modules,
  OpsLink,
  type OpsWorker,
  Progress,
  ServerMemory,
  shardCountOf,
  ShardPool,
  shardSettings,
  TierPool,
} from '#main';

interface KernelOptions {
  readonly settings: Settings;
  /** The file that was started. */
  readonly executable: string;
  /** True where the shards read data before they serve. */
  readonly recovers: boolean;
  /** Undefined where main's loop is libuv's. */
  readonly epoll: EpollParts | undefined;
  /** The ops thread, where it runs already. */
  readonly worker: OpsWorker | undefined;
}

export interface Kernel {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly runId: string;
  /** The file that was started. */
  readonly executable: string;
  readonly tls: TlsOptions | undefined;
  readonly ops: OpsLink;
  /** Trace of the command that is being run. */
  readonly running: RunningTrace;
  readonly shardCount: number;
  readonly serverMemory: ServerMemory;
  /** Main's own page. */
  readonly page: Page;
  readonly blocks: BlockPool;
  readonly links: readonly ShardLink[];
  readonly loop: ThreadLoop;
  readonly modules: Modules;
  readonly progress: Progress;
  readonly pool: ShardPool;
  readonly tierPool: TierPool;
  readonly frontPool: FrontPool;
  readonly connected: ConnectedClients;
  readonly mainLatency: MainLatency;
}

/** Starts the threads, which wait for `start` of the server to be used. */
export function newKernel(options: KernelOptions): Kernel {
  const { settings, epoll, worker } = options;
  const tls = tlsOptions(valuesOf(settings));
  readOutgoingTls(valuesOf(settings));
  const runId = randomBytes(20).toString('hex');
  const ops = new OpsLink(settings, runId, worker);
  const running = new RunningTrace();
  const log = mainLog(systemClock, ops, running);
  const shardCount = shardCountOf(settings);
  const serverMemory = new ServerMemory(shardCount, settings, systemClock.nowUs());
  const loop = openLoop(serverMemory.doorbell, epoll, serverMemory.mainPage);
  if (epoll !== undefined) serverMemory.memory.useFutex(epoll.futex);
  ops.begin(serverMemory.observerData, tls);
  const modules = new Modules();
  const threads = newThreads(options, { serverMemory, tls, log, modules });
  return {
    settings,
    clock: systemClock,
    log,
    runId,
    executable: options.executable,
    tls,
    ops,
    running,
    shardCount,
    serverMemory,
    page: serverMemory.mainPage,
    blocks: serverMemory.blockPool(),
    links: serverMemory.shardLinks(threads.pool.ports),
    loop,
    modules,
    progress: new Progress(),
    ...threads,
    connected: new ConnectedClients(),
    mainLatency: new MainLatency(settings, serverMemory),
  };
}

function newThreads(
  { settings, recovers, epoll }: KernelOptions,
  { serverMemory, tls, log, modules }: Pick<Kernel, 'serverMemory' | 'tls' | 'log' | 'modules'>,
): Pick<Kernel, 'pool' | 'tierPool' | 'frontPool'> {
  const tierPool = new TierPool({ serverMemory, settings, log });
  const pool = new ShardPool({
    serverMemory,
    tierOf: (shard) => tierPool.tierOf(shard),
    recovers,
    folder: settings.string('persistence.data-dir'),
    settings: shardSettings(settings),
    died: modules.shardDied,
  });
  const frontPool = new FrontPool({
    serverMemory,
    tls,
    usesEpoll: epoll !== undefined,
    died: modules.frontDied,
  });
  return { pool, tierPool, frontPool };
}
