/**
 * The probes of orchestrators: live until the shutdown starts, ready from the end of the start until then; neither
 * while main is stuck, with more patience for liveness.
 */

import type { ProbeDocument } from '#api-types';
import { mainStandstill, type Page, Phase } from '#stats';
import { json, TEXT_TYPE, type Answer } from '../protocol/answer.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { flag, string } from '../protocol/parameters.ts';
import type { Route } from '../protocol/route.ts';

interface Check {
  readonly name: string;
  readonly status: 'not_ready' | 'shutting_down';
  /** Listed only when it fails: what compares the answers in words knows them without it. */
  readonly isQuiet?: boolean;
  /** Returns the problem; undefined when there is none. */
  problem(): string | undefined;
  /** Returns a remark for verbose output if there is no problem; undefined without one. */
  remark?(): string | undefined;
}

interface ProbesOptions {
  readonly main: Page;
  /** Names of commands by their ids, as `client|list`. */
  readonly commandNames: readonly string[];
  /** Standstill of main that liveness puts up with; 0 for any. */
  livenessMs(): number;
  /** True when a replica without a link is not ready. */
  requiresSync(): boolean;
  nowUs(): number;
}

export function probeRoutes(options: ProbesOptions): Route[] {
  const { main } = options;
  const probe = (path: string, name: string, checks: readonly Check[]): Route => ({
    path,
    about:
      name === 'livez'
        ? 'Returns 200 while the server is alive.'
        : 'Returns 200 while the server is ready.',
    isOpen: true,
    parameters: [
      flag('verbose', 'Returns a line of text for each check.'),
      string('exclude', 'Name of a check that is left out; may be given several times.'),
    ],
    methods: { GET: (exchange) => answerOf(exchange, name, checks) },
  });
  const ping: Check = { name: 'ping', status: 'not_ready', problem: () => undefined };
  const startup: Check = {
    name: 'startup',
    status: 'not_ready',
    problem: () => (main.get('phase') === Phase.starting ? 'the server is starting' : undefined),
  };
  const shutdown: Check = {
    name: 'shutdown',
    status: 'shutting_down',
    problem: () => (main.get('phase') === Phase.stopping ? 'the server is stopping' : undefined),
  };
  const live = [ping, shutdown, mainCheck(options, () => options.livenessMs() || Infinity)];
  const ready = [ping, startup, shutdown, mainCheck(options, () => 0), syncCheck(options)];
  return [
    probe('/health/live', 'livez', live),
    probe('/healthz', 'livez', live),
    probe('/health/ready', 'readyz', ready),
    probe('/readyz', 'readyz', ready),
  ];
}

/** Fails when main has been stuck for `patienceMs`. */
function mainCheck(options: ProbesOptions, patienceMs: () => number): Check {
  const { main, commandNames } = options;
  return {
    name: 'main',
    status: 'not_ready',
    isQuiet: true,
    problem() {
      const standstill = mainStandstill(main, commandNames, options.nowUs());
      const isTooLong = standstill !== null && standstill.silentUs >= patienceMs() * 1_000;
      return isTooLong ? `main ${standstill.doing}` : undefined;
    },
  };
}

/** Fails while a replica has no link, if the settings require one; reports the progress of a full sync. */
function syncCheck(options: ProbesOptions): Check {
  const { main } = options;
  return {
    name: 'sync',
    status: 'not_ready',
    isQuiet: true,
    problem() {
      if (
        main.get('isReplica') === 0 ||
        main.get('primaryLinkUp') === 1 ||
        !options.requiresSync()
      ) {
        return undefined;
      }
      return syncProgress(main) ?? 'the link to the primary is down';
    },
    // Who is ready all the same serves old data meanwhile, or none.
    remark: () => syncProgress(main),
  };
}

/** Returns the progress of a full sync from the primary; undefined if there is none. */
function syncProgress(main: Page): string | undefined {
  if (main.get('syncInProgress') === 0) return undefined;
  const [keys, bytes, total] = [
    main.get('syncKeys'),
    main.get('syncBytes'),
    main.get('syncTotalBytes'),
  ];
  const share = total > 0 ? ` of ${total} (${((100 * bytes) / total).toFixed(1)} %)` : '';
  return `full sync from the primary in progress: ${keys} keys, ${bytes}${share} bytes so far`;
}

function answerOf(exchange: Exchange, name: string, checks: readonly Check[]): Answer {
  const excluded = new Set(exchange.query.getAll('exclude'));
  const judged = checks.map((check) => ({
    check,
    problem: excluded.has(check.name) ? undefined : check.problem(),
  }));
  const failed = judged.find(({ problem }) => problem !== undefined);
  if (exchange.query.has('verbose')) {
    const lines = judged
      .map((each) => ({ ...each, remark: each.check.remark?.() }))
      .filter(
        ({ check, problem, remark }) =>
          check.isQuiet !== true || problem !== undefined || remark !== undefined,
      )
      .map(({ check, problem, remark }) => {
        if (excluded.has(check.name)) return `[+]${check.name} excluded: ok`;
        if (problem !== undefined) return `[-]${check.name} failed: ${problem}`;
        return remark === undefined ? `[+]${check.name} ok` : `[+]${check.name} ok: ${remark}`;
      });
    const unknown = [...excluded].filter((each) => !checks.some((check) => check.name === each));
    if (unknown.length > 0) {
      const names = unknown.map((each) => JSON.stringify(each)).join(', ');
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
    }
    lines.push(`${name} check ${failed === undefined ? 'passed' : 'failed'}`);
    const status = failed === undefined ? 200 : 503;
    return { status, type: TEXT_TYPE, body: `${lines.join('\n')}\n` };
  }
  if (failed === undefined) return json({ status: 'ok' } satisfies ProbeDocument);
  const { check, problem } = failed;
  const document: ProbeDocument = { status: check.status, message: problem ?? '' };
  return json(document, 503);
}
