/**
 * Logs from the ops thread when a shard is stuck and when it resumes, and scripts that run longer than their limit: with
 * the command, its key and its client.
 */

import { LineLimit, type LogFields } from '#base';
import { type Page, Phase, shardSilenceUs, silenceText } from '#stats';

/** A client in a line of the log. */
export type ClientName = Pick<LogFields, 'conn_id' | 'addr' | 'client_name' | 'user'>;

/** Command that a shard executes now. */
export interface RunningCommand {
  /** Lower case, as `client|list`. */
  readonly command: string;
  /** Main's slot of the client. */
  readonly slot: number;
  readonly elapsedUs: number;
}

/** Key and script of a command; null where there is none, or where it cannot be read any more. */
export interface CommandDetails {
  readonly key: string | null;
  readonly script: string | null;
}

interface ShardWatchOptions {
  readonly main: Page;
  readonly shards: readonly Page[];
  /** Returns the command that a shard executes now; null if it executes none. */
  readonly running: (shard: number, nowUs: number) => RunningCommand | null;
  /** Returns what is known of the command that a shard executes now. */
  readonly detailsOf: (shard: number) => Promise<CommandDetails>;
  /** Returns the client in a slot of main's list; null if main does not know it, or does not reply in time. */
  readonly clientIn: (slot: number) => Promise<ClientName | null>;
  /** Milliseconds from which on a script is slow; 0 = never. */
  readonly slowScriptMs: () => number;
  /** Unix milliseconds. */
  readonly wallMs: () => number;
  readonly log: (
    level: 'error' | 'warn',
    event: string,
    message: string,
    fields: LogFields,
  ) => void;
}

/** State of one shard, as of the last look. */
interface Watched {
  /** Monotonic microseconds since when it is stuck; undefined if it is not. */
  stuckSinceUs: number | undefined;
  /** Command that it ran when it was found stuck; null for none. */
  command: string | null;
  /** Start of the last script whose slowness was logged, in monotonic microseconds. */
  slowScriptUs: number;
  /** Settles when the lines of the shard so far are written: they wait for names of clients. */
  written: Promise<void>;
}

export class ShardWatch {
  readonly #options: ShardWatchOptions;
  readonly #shards: readonly Watched[];
  readonly #scripts = new LineLimit();

  constructor(options: ShardWatchOptions) {
    this.#options = options;
    this.#shards = options.shards.map(() => ({
      stuckSinceUs: undefined,
      command: null,
      slowScriptUs: 0,
      written: Promise.resolve(),
    }));
  }

  look(nowUs: number): void {
    const { main, shards } = this.#options;
    // A shard that has stopped does not update its page.
    if (main.get('phase') === Phase.stopping) return;
    for (const [shard, page] of shards.entries()) {
      const executing = this.#options.running(shard, nowUs);
      const silentUs = shardSilenceUs(page, executing?.elapsedUs ?? null, nowUs);
      this.#lookAtStandstill(shard, executing, silentUs, nowUs);
      this.#lookAtScript(shard, executing, nowUs);
    }
  }

  /** Settles when all lines so far are written. */
  async written(): Promise<void> {
    for (const { written } of this.#shards) await written;
  }

  /** Logs the begin and the end of a standstill; `silentUs` is 0 while there is none. */
  #lookAtStandstill(
    shard: number,
    executing: RunningCommand | null,
    silentUs: number,
    nowUs: number,
  ): void {
    const watched = this.#shards[shard]!;
    if (silentUs > 0 && watched.stuckSinceUs === undefined) {
      watched.stuckSinceUs = nowUs - silentUs;
      watched.command = executing?.command ?? null;
      const doing = executing === null ? silenceText(silentUs) : runningText(executing);
      this.#write(shard, executing, (fields) => {
        const ms = Math.round(silentUs / 1_000);
        this.#options.log('error', 'shard-stuck', `shard ${shard} ${doing}`, { ...fields, ms });
      });
    } else if (silentUs === 0 && watched.stuckSinceUs !== undefined) {
      const us = nowUs - watched.stuckSinceUs;
      watched.stuckSinceUs = undefined;
      const fields = { shard, command: watched.command, ms: Math.round(us / 1_000) };
      const message = `shard ${shard} resumed after about ${seconds(us)} s`;
      this.#write(shard, null, () => {
        this.#options.log('warn', 'shard-resumed', message, fields);
      });
    }
  }

  #lookAtScript(shard: number, executing: RunningCommand | null, nowUs: number): void {
    const watched = this.#shards[shard]!;
    const sinceUs = this.#options.shards[shard]!.get('scriptSinceUs');
    const limitMs = this.#options.slowScriptMs();
    if (sinceUs === 0 || sinceUs === watched.slowScriptUs || limitMs === 0) return;
    const us = nowUs - sinceUs;
    if (us < limitMs * 1_000) return;
    watched.slowScriptUs = sinceUs;
    if (!this.#scripts.take(this.#options.wallMs())) return;
    const message = `A script of shard ${shard} has been running for ${seconds(us)} s`;
    this.#write(shard, executing, (fields) => {
      const ms = Math.round(us / 1_000);
      this.#options.log('warn', 'slow-script', message, { ...fields, ms, limit_ms: limitMs });
    });
  }

  /** Writes a line about the command that a shard runs, after its earlier lines. */
  #write(
    shard: number,
    executing: RunningCommand | null,
    write: (fields: LogFields) => void,
  ): void {
    const watched = this.#shards[shard]!;
    const fields = this.#fieldsOf(shard, executing);
    watched.written = watched.written.then(async () => {
      write(await fields);
    });
  }

  async #fieldsOf(shard: number, executing: RunningCommand | null): Promise<LogFields> {
    if (executing === null) return { shard, command: null };
    const { clientIn, detailsOf } = this.#options;
    const details = detailsOf(shard);
    const name = await clientIn(executing.slot);
    const { key, script } = await details;
    return {
      shard,
      command: executing.command,
      key,
      ...(script === null ? {} : { script }),
      ...name,
    };
  }
}

function runningText({ command, elapsedUs }: RunningCommand): string {
  return `has been running ${command} for ${seconds(elapsedUs)} s`;
}

function seconds(us: number): string {
  return (us / 1_000_000).toFixed(1);
}
