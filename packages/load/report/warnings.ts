/** Reasons for which the figures of a load are not those of the server alone. */

import { percentileUs, totalCount } from '#stats';
import type { LoadPlan } from '../options/plan.ts';
import type { LoadResult } from '../run/load-run.ts';

const BUSY_PERCENT = 90;
const WAIT_PERCENT = 10;
/** Lateness of one command in a hundred that is worth a warning. */
const LATE_US = 1_000;
const SECONDS_MIN = 1;

/** Returns a sentence for each. */
export function warningsOf(load: LoadResult, plan: LoadPlan): string[] {
  return [...generatorWarnings(load), ...scheduleWarnings(load, plan), ...failureWarnings(load)];
}

function generatorWarnings({ threads, late, seconds }: LoadResult): string[] {
  const warnings: string[] = [];
  for (const [nth, { cpuPercent, waitPercent, spins }] of threads.entries()) {
    if (cpuPercent > BUSY_PERCENT && !spins) {
      warnings.push(
        `Generator thread ${nth} used ${cpuPercent.toFixed(0)} % of a processor: the generator may limit the throughput; use more --threads.`,
      );
    }
    if (waitPercent > WAIT_PERCENT) {
      warnings.push(
        `Generator thread ${nth} waited for a processor ${waitPercent.toFixed(0)} % of the time: latencies include that; the machine is too busy.`,
      );
    }
  }
  const lateUs = percentileUs(late, 0.99);
  if (totalCount(late) > 0 && lateUs > LATE_US) {
    warnings.push(
      `The generator sent one command in a hundred ${(lateUs / 1_000).toFixed(1)} ms late or later: latencies include that.`,
    );
  }
  if (seconds < SECONDS_MIN) {
    warnings.push(`The load took ${seconds.toFixed(2)} s: short measurements differ much.`);
  }
  return warnings;
}

function scheduleWarnings({ unsent, commands }: LoadResult, { rate }: LoadPlan): string[] {
  if (unsent === 0) return [];
  const share = (100 * unsent) / (unsent + commands);
  return [
    `${unsent} commands (${share.toFixed(1)} %) that were due were not sent: the server does not reach ${rate} per second; their latencies are missing.`,
  ];
}

function failureWarnings(load: LoadResult): string[] {
  const warnings: string[] = [];
  if (load.connectionsLost > 0) {
    warnings.push(`Lost ${load.connectionsLost} connections: ${load.lossReasons.join(', ')}.`);
  }
  if (load.unanswered > 0) warnings.push(`${load.unanswered} commands have got no reply.`);
  if (load.errorCount > 0) {
    const codes = Object.entries(load.errors).map(([code, count]) => `${code} ${count}`);
    warnings.push(`${load.errorCount} commands were answered with errors: ${codes.join(', ')}.`);
  }
  return warnings;
}
