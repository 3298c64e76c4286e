/** Rates, shares of time, errors and percentiles of commands: from shared pages, so a stuck shard delays nothing. */

import type { CommandsDocument, CommandUsageReport } from '#api-types';
import { CommandUsage, USAGE_MS } from '#observer';
import type { OpsContext } from '../ops/ops-context.ts';
import { documentRoute, type Route } from '../protocol/route.ts';
import { CommandPercentiles, hundredths } from './api-figures.ts';
import { currentStatus } from './status.ts';

export class CommandsView {
  readonly #context: OpsContext;
  readonly #usage: CommandUsage;
  readonly #timer: NodeJS.Timeout;

  constructor(opsContext: OpsContext) {
    const { observer, clock } = opsContext;
    this.#context = opsContext;
    this.#usage = new CommandUsage(observer, clock.nowUs());
    this.#timer = setInterval(() => {
      this.#usage.sample(clock.nowUs());
    }, USAGE_MS);
    this.#timer.unref();
  }

  get route(): Route {
    return documentRoute(
      'commands',
      "Rate, share of the shards' time, errors and percentiles of each command.",
      () => this.#document(),
    );
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #document(): Promise<CommandsDocument> {
    const { observer, clock } = this.#context;
    const { shards } = await currentStatus(this.#context);
    const { seconds, commands, errors } = this.#usage.report(clock.nowUs());
    const percentiles = new CommandPercentiles(observer);
    return {
      seconds: hundredths(seconds),
      commands: commands.map((use): CommandUsageReport => ({
        command: use.command,
        calls: use.calls,
        ...percentiles.of(use.id),
        calls_per_sec: hundredths(use.callsPerSecond),
        failed: use.failed,
        failed_per_sec: hundredths(use.failedPerSecond),
        rejected: use.rejected,
        rejected_per_sec: hundredths(use.rejectedPerSecond),
        shard_percent: hundredths(use.shardPercent),
        main_percent: hundredths(use.mainPercent),
      })),
      errors: errors.map(({ code, count, perSecond }) => ({
        code,
        count,
        per_sec: hundredths(perSecond),
      })),
      executing: shards.flatMap(({ id, executing }) =>
        executing === null ? [] : [{ shard: id, ...executing }],
      ),
    };
  }
}
