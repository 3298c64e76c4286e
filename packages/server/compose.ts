/**
 * Puts main together, from below: each part is made of those that are there already, and joins the list of modules
 * (`kernel/main-module.ts`) by which the kernel knows it. A new feature is a module and a line here.
 */

import { fileURLToPath } from 'node:url';
import type { Settings } from '#config';
import type { EpollParts } from '#net';
import type { OwnFolder } from '#durability';
import { LateSettings, logSettingChanges, type OpsWorker, SettingsBroadcast } from '#main';
import { newCrashes } from './composition/crashes.ts';
import { newDataModules } from './composition/data-modules.ts';
import { newDiagnosticModules } from './composition/diagnostic-modules.ts';
import { newKernel } from './composition/kernel.ts';
import { newPlaces } from './composition/new-places.ts';
import { newRouting } from './composition/routing.ts';
import type { ServerParts } from './composition/server-parts.ts';
import { Ticker } from './composition/ticker.ts';
import { MainRunner } from './ports/main-runner.ts';
import { opsAnswers } from './ports/ops-answers.ts';
import { statisticsPort } from './ports/statistics-port.ts';
import { Server } from './server.ts';
import { Shutdown } from './shutdown.ts';

/** The file that is started. */
const EXECUTABLE = fileURLToPath(new URL('./main.js', import.meta.url));

/** Puts a server together; `start` has it serve. */
export function composeServer(options: {
  readonly settings: Settings;
  /** The data folder; without it nothing is kept on disk at first. */
  readonly own: OwnFolder | undefined;
  /** Undefined where main's loop is libuv's. */
  readonly epoll: EpollParts | undefined;
  /** The ops thread, where it runs already. */
  readonly worker: OpsWorker | undefined;
}): Server {
  const { settings, own } = options;
  const kernel = newKernel({
    ...options,
    executable: EXECUTABLE,
    recovers: own !== undefined,
  });
  const routed = { ...kernel, ...newRouting(kernel) };
  const withData = { ...routed, ...newDataModules(routed, own) };
  const reported = { ...withData, ...newDiagnosticModules(withData) };
  const places = newPlaces(reported);
  const lateSettings = new LateSettings(settings, [places, reported.persistence]);
  const parts: ServerParts = { ...reported, places, lateSettings };
  logSettingChanges(settings, parts.log);
  const shutdown = new Shutdown(parts);
  parts.modules.add(new Ticker(parts), shutdown, newMainRunner(parts, shutdown));
  const crashes = newCrashes(parts, shutdown);
  parts.access.begin();
  const answers = opsAnswers({
    ...parts,
    shutdown: (wanted) => {
      shutdown.begin(wanted);
    },
  });
  return new Server({ ...parts, shutdown, crashes, answers });
}

function newMainRunner(parts: ServerParts, shutdown: Shutdown): MainRunner {
  const { settings, router, beginTurn, metricsReader, progress, page, clock } = parts;
  return new MainRunner({
    ...parts,
    measure: () => metricsReader.measure(progress.baseline),
    broadcast: new SettingsBroadcast(settings, router, beginTurn),
    statistics: statisticsPort(parts),
    shutdown: (options, client, aborted) => {
      shutdown.ask(options, client, aborted);
    },
    abortShutdown: () => shutdown.abort(),
    isReplica: () => page.get('isReplica') === 1,
    startedMs: clock.wallMs(),
  });
}
