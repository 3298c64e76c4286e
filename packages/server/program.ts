/** Entry of the executable: runs the server, or another action of the command line. */

import {
  ConfigError,
  type ConfigWarning,
  groupHelp,
  groupOf,
  helpText,
  isTool,
  type Loaded,
  loadFromProcess,
  type Settings,
  subcommandHelp,
  type ToolAction,
} from '#config';
import { type EpollParts, loadEpoll } from '#net';
import { latencyReport } from '#stats';
import { demandCluster } from '#cluster';
import { runTool } from '#tools';
import { demandUsers } from '#access';
import {
  checkData,
  exportRdb,
  importAtFirstStart,
  importRdb,
  openDataFolder,
  runDataTask,
  unreadData,
} from '#durability';
import { type OpsWorker, testLatency } from '#main';
import { composeServer } from './compose.ts';
import { probe } from './probe.ts';
import type { Server } from './server.ts';
import { openServiceNotices } from './service/open-notices.ts';
import { demandStart } from './start-check.ts';
import { versionText } from './version-text.ts';

/** Composes a server with an exclusive lock of its data folder; rejects if the lock cannot be acquired. */
async function openServer(
  settings: Settings,
  ops: OpsWorker | undefined,
  missing: (warning: ConfigWarning) => void,
): Promise<Server> {
  demandUsers(settings);
  demandCluster(settings);
  const keeps = settings.boolean('persistence.enabled');
  const own = keeps ? await openDataFolder(settings) : undefined;
  try {
    const epoll = await epollFor(settings, missing);
    const service = await openServiceNotices(missing);
    return composeServer({ settings, own, epoll, worker: ops, service });
  } catch (error) {
    own?.lock.release();
    throw error;
  }
}

/**
 * Loads what an epoll of main's needs; undefined where main waits by libuv. Rejects where epoll is demanded and this machine
 * does not have it.
 */
async function epollFor(
  settings: Settings,
  missing: (warning: ConfigWarning) => void,
): Promise<EpollParts | undefined> {
  const wanted = settings.string('server.multiplexing-api');
  if (wanted === 'libuv') return undefined;
  try {
    return await loadEpoll();
  } catch (error) {
    const { message } = error as Error;
    if (wanted === 'epoll') {
      throw new Error(`server.multiplexing-api = "epoll" cannot be used: ${message}`, {
        cause: error,
      });
    }
    missing({
      event: 'epoll-missing',
      severity: 'info',
      message: `Sockets use libuv, since epoll is not available: ${message}`,
    });
    return undefined;
  }
}

/** A signal within this time after the first is a copy of it. */
const REPEATED_SIGNAL_MS = 1_000;

async function serve(loaded: Loaded, ops: OpsWorker | undefined): Promise<void> {
  const { settings } = loaded;
  const warnings = [...loaded.warnings];
  const imported = await importAtFirstStart(settings);
  const unread = unreadData(settings);
  if (unread !== undefined) warnings.push(unread);
  const server = await openServer(settings, ops, (warning) => warnings.push(warning));
  followSignals(server);
  await server.start(warnings, imported);
}

/**
 * Shuts down on the first signal, and ends at once on a further one. A signal soon after the first is the same wish: Ctrl-C
 * reaches the server from the terminal and once more from npm, which passes it on.
 */
function followSignals(server: Server): void {
  let isStopping = false;
  let isUrgent = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isUrgent) process.kill(process.pid, 'SIGKILL');
      if (isStopping) return;
      isStopping = true;
      const urgency = setTimeout(() => (isUrgent = true), REPEATED_SIGNAL_MS).unref();
      void server.stop().then(() => {
        if (server.isStopping) return;
        // The shutdown was called off.
        clearTimeout(urgency);
        [isStopping, isUrgent] = [false, false];
      });
    });
  }
}

/** Measures the intrinsic latency of the machine, and prints each result immediately. */
async function intrinsicLatency(
  settings: Settings,
  seconds: number,
  print: (text: string) => void,
): Promise<void> {
  const baseline = await testLatency(seconds, (us) => {
    print(`max so far ${us.toFixed(3)} us`);
  });
  const thresholdUs = settings.number('latency.warning-threshold-us');
  for (const line of latencyReport(baseline, thresholdUs)) print(line);
}

const print = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
};

async function runWithoutSettings(action: ToolAction): Promise<void> {
  switch (action.kind) {
    case 'help':
      print(helpText());
      return;
    case 'version':
      print(await versionText());
      return;
    case 'group':
      printGroup(action);
      return;
    case 'data-task-help':
      print(subcommandHelp(action.name));
      return;
    case 'tool':
      if (action.args.includes('--help')) print(subcommandHelp(action.name));
      else process.exitCode = await runTool(action.name, action.args, print);
  }
}

/** Prints the help of the subcommands that begin with a word; throws an Error for an unknown second word. */
function printGroup({ word, asked }: Extract<ToolAction, { kind: 'group' }>): void {
  if (!['', 'help', '--help'].includes(asked)) {
    throw new Error(`unknown command ${word} ${asked}; known: ${groupOf(word).join(' and ')}`);
  }
  print(groupHelp(word));
}

/** Actions that end when something is done with the data folder. */
type DataAction = Extract<Loaded['action'], { kind: 'check-data' | 'data-task' | 'export-rdb' }>;

function runOnData(settings: Settings, action: DataAction): Promise<readonly string[]> {
  switch (action.kind) {
    case 'check-data':
      return checkData(settings);
    case 'data-task':
      return runDataTask(settings, action.name, action.args);
    case 'export-rdb':
      return exportRdb(settings, action.file);
  }
}

async function run(ops: OpsWorker | undefined): Promise<void> {
  const loaded = loadFromProcess();
  const { settings, action, warnings } = loaded;
  if (isTool(action)) {
    await runWithoutSettings(action);
    return;
  }
  switch (action.kind) {
    case 'check-config':
      await demandStart(settings);
      for (const { message } of warnings) print(`warning: ${message}`);
      print('the configuration is valid');
      return;
    case 'print-config':
      for (const { message } of warnings) print(`# ${message}`);
      print(settings.toToml({ hideSecrets: true }));
      return;
    case 'intrinsic-latency':
      await intrinsicLatency(settings, action.seconds, print);
      return;
    case 'probe':
      print(await probe(settings));
      return;
    case 'import-rdb':
      print(await importRdb(settings, action.file, action.skipsDamaged));
      await serve(loaded, ops);
      return;
    case 'serve':
      await serve(loaded, ops);
      return;
    default:
      print((await runOnData(settings, action)).join('\n'));
  }
}

/** Runs the action of the command line; the ops thread of a server may already be running. */
export async function main(ops: OpsWorker | undefined): Promise<void> {
  try {
    await run(ops);
  } catch (error) {
    const text =
      error instanceof ConfigError || error instanceof Error ? error.message : String(error);
    process.stderr.write(`svc: ${text}\n`);
    process.exitCode = 1;
  }
}
