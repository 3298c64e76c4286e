/**
 * The shutdown of a server after a thread has failed: a report is written, commands in the rings are logged, and the process
 * exits with 1. The server does not continue with a part of the keys, or with a failed main.
 */

import { type Clock, errors, type Logger } from '#base';
import { commandTable } from '#commands';
import { type Settings, VERSION } from '#config';
import type { Page } from '#stats';
import type { Router } from '#router';
import { type Executing, executingIn } from '#observer';
import type { ClientListeners, Clients } from '#clients';
import { type Composed, MainModule, type Progress, type ServerMemory, type Turn } from '#main';
import { crashReport, writeCrashReport, type Crash } from './crash-report.ts';
import type { Kernel } from './kernel.ts';

/** Interval in milliseconds at which replies of shards are read after main has stopped its turns. */
const LOOK_MS = 5;
/** Milliseconds after which the process is killed if it has not ended. */
const END_MS_MAX = 20_000;

interface CrashesOptions {
  readonly settings: Settings;
  readonly serverMemory: ServerMemory;
  readonly log: Logger;
  readonly clock: Clock;
  readonly router: Router;
  readonly clients: Clients;
  readonly progress: Pick<Progress, 'hasCrashed' | 'isMainDead'>;
  /** Stops accepting connections. */
  close(): void;
  beginTurn(): void;
  /** Stops the turns of main. */
  stopTurns(): void;
  /** Starts the shutdown, unless it has started before. */
  end(): void;
  /** Has the last lines of the log written. */
  flushLog(): Promise<void>;
}

type CrashesParts = Omit<CrashesOptions, 'close' | 'stopTurns' | 'end' | 'flushLog'> &
  Pick<Kernel, 'ops'> & {
    readonly turn: Pick<Turn<Router>, 'stop'>;
    readonly listeners: ClientListeners;
    readonly shutdown: { end(timeoutMs: number): Promise<void> };
  };

/** Ends a server for a thread that has died, as a module of main. */
export function crashesModule(parts: CrashesParts): Composed<{ readonly crashes: Crashes }> {
  const crashes = newCrashes(parts);
  const module = new MainModule({
    name: 'crashes',
    hooks: {
      shardDied: (shard, reason) => {
        crashes.shardDied(shard, reason);
      },
      frontDied: (thread, reason) => {
        crashes.frontDied(thread, reason);
      },
    },
  });
  return { module, parts: { crashes } };
}

function newCrashes(parts: CrashesParts): Crashes {
  const { listeners, turn, ops, shutdown } = parts;
  return new Crashes({
    ...parts,
    close: () => {
      listeners.listener.close();
    },
    stopTurns: () => {
      turn.stop();
    },
    end: () => {
      void shutdown.end(0);
    },
    flushLog: () => ops.stop(),
  });
}

export class Crashes {
  readonly #options: CrashesOptions;

  constructor(options: CrashesOptions) {
    this.#options = options;
  }

  shardDied(shard: number, reason: unknown): void {
    const { serverMemory, clock } = this.#options;
    const { router } = this.#options;
    const page = serverMemory.shardPages[shard]!;
    const executing = executingIn(page, serverMemory.memory, clock.nowUs());
    const client = router.clientInSlot(executing?.connection ?? -1);
    this.#report({
      thread: `shard-${String(shard)}`,
      reason,
      executing,
      client: client?.socket.remoteAddress,
    });
    this.#options.close();
    for (const waiting of this.#options.clients.all) {
      router.abandon(waiting, errors.shardDown(shard));
    }
    this.#options.beginTurn();
    setImmediate(() => {
      this.#options.end();
    });
  }

  /** A front thread has died, and with it the connections that it had: their clients see them closed. */
  frontDied(thread: string, reason: unknown): void {
    this.#report({ thread, reason, executing: null, client: undefined });
    this.#options.close();
    setImmediate(() => {
      this.#options.end();
    });
  }

  /** Main itself has failed, outside of a command. */
  mainDied(reason: unknown): void {
    const { serverMemory, clock, progress } = this.#options;
    if (progress.isMainDead) {
      this.#endNow(reason);
      return;
    }
    progress.isMainDead = true;
    // The cause of the failure may still be in the rings.
    this.#options.stopTurns();
    const { mainPage: page } = serverMemory;
    const client = this.#options.clients.byId(page.get('workClient'));
    const executing = mainWork(page, clock.nowUs());
    this.#report({ thread: 'main', reason, executing, client: client?.socket.remoteAddress });
    this.#options.close();
    // Further failures are ignored: nothing can be done about them.
    for (const client of this.#options.clients.all) ignoringFailure(() => client.socket.destroy());
    this.#keepRingsMoving();
    setTimeout(() => {
      this.#endNow('it did not stop in time');
    }, END_MS_MAX).unref();
    // A shutdown in progress continues as far as possible.
    this.#options.end();
  }

  /** Drains the rings: shards wait for room, and for frames that main forwards, and could not finish otherwise. */
  #keepRingsMoving(): void {
    const { router } = this.#options;
    const timer = setInterval(() => {
      try {
        router.drain();
        router.publish();
      } catch {
        ignoringFailure(() => {
          router.dropReplies();
        });
      }
    }, LOOK_MS);
    timer.unref();
  }

  #report(crash: Omit<Crash, 'version' | 'hidesUserData'>): void {
    const { log, settings, clock, progress } = this.#options;
    progress.hasCrashed = true;
    process.exitCode = 1;
    const { thread, executing } = crash;
    const hidesUserData = settings.boolean('logging.hide-user-data');
    const report = crashReport({ ...crash, version: VERSION, hidesUserData });
    const name = thread.replace('-', ' ');
    const doing = executing === null ? '' : ` while running ${executing.command}`;
    const message = `${name} died${doing}: ${report.reason}`;
    const event = `${thread.replace(/-\d+$/, '')}-died`;
    log.error(event, message, { shard: report.shard, command: executing?.command ?? null });
    try {
      const folder = settings.string('persistence.data-dir');
      const file = writeCrashReport(folder, report, clock.wallMs());
      log.error('crash-report', `Crash report: ${file}`, { file });
    } catch (error) {
      process.stderr.write(`svc: ${message}\n${report.stack ?? ''}\n${String(error)}\n`);
    }
  }

  #endNow(reason: unknown): void {
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    process.stderr.write(`svc: main died, and its shutdown failed: ${text}\n`);
    void this.#options.flushLog().finally(() => process.kill(process.pid, 'SIGKILL'));
  }
}

/** The command that main ran, or had sent on last; keys are in its private memory. */
function mainWork(page: Page, nowUs: number): Executing | null {
  const running = page.get('executing');
  const entry = commandTable.entries[(running || page.get('workCommand')) - 1];
  if (entry === undefined) return null;
  const sinceUs = page.get(running === 0 ? 'heartbeatUs' : 'executingSinceUs');
  return {
    command: entry.lowerName,
    key: null,
    connection: -1,
    elapsedUs: Math.max(0, nowUs - sinceUs),
  };
}

function ignoringFailure(act: () => void): void {
  try {
    act();
  } catch {
    return;
  }
}
