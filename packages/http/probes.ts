/** The probes of orchestrators: alive until shutdown begins, ready from the end of the start until then. */

import { Phase, type Page } from '#diag';
import { json, TEXT_TYPE, type Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './routes.ts';

interface Check {
  readonly name: string;
  readonly status: 'not_ready' | 'shutting_down';
  /** What is wrong when it fails. */
  readonly message: string;
  isGood(phase: number): boolean;
}

const ping: Check = {
  name: 'ping',
  status: 'not_ready',
  message: 'this answer says otherwise',
  isGood: () => true,
};

const startup: Check = {
  name: 'startup',
  status: 'not_ready',
  message: 'the server is starting',
  isGood: (phase) => phase !== Phase.starting,
};

const shutdown: Check = {
  name: 'shutdown',
  status: 'shutting_down',
  message: 'the server finishes what is in flight and stops',
  isGood: (phase) => phase !== Phase.stopping,
};

export function probeRoutes(main: Page): Route[] {
  const probe = (path: string, name: string, checks: readonly Check[]): Route => ({
    path,
    about: name === 'livez' ? 'Whether the server is alive.' : 'Whether the server is ready.',
    isOpen: true,
    methods: { GET: (exchange) => answerOf(exchange, name, checks, main.get('phase')) },
  });
  const live = [ping, shutdown];
  const ready = [ping, startup, shutdown];
  return [
    probe('/health/live', 'livez', live),
    probe('/healthz', 'livez', live),
    probe('/health/ready', 'readyz', ready),
    probe('/readyz', 'readyz', ready),
  ];
}

function answerOf(
  exchange: Exchange,
  name: string,
  checks: readonly Check[],
  phase: number,
): Answer {
  const excluded = new Set(exchange.query.getAll('exclude'));
  const isFailed = (check: Check): boolean => !excluded.has(check.name) && !check.isGood(phase);
  const failed = checks.find(isFailed);
  if (exchange.query.has('verbose')) {
    const lines = checks.map((check) => {
      if (excluded.has(check.name)) return `[+]${check.name} excluded: ok`;
      return isFailed(check) ? `[-]${check.name} failed: ${check.message}` : `[+]${check.name} ok`;
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
  if (failed === undefined) return json({ status: 'ok' });
  return json({ status: failed.status, message: failed.message }, 503);
}
