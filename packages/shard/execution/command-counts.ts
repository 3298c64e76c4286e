/** Counts what the executor has run: plain commands of the ring with their batch, all others by themselves. */

import type { Arguments, CommandEntry } from '#commands';
import {
  AT,
  countError,
  DEFAULT_USER_ROW,
  type Page,
  requestBytesFrom,
  RESP_OVERHEAD_MAX,
  type SlowClient,
  type SlowCommand,
  TICKS_PER_US,
} from '#stats';
import { Request } from '#link';
import { commandDone } from '#usdt';
import type { ExecutionContext } from './context.ts';
import type { Frame } from '../frames/frame.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { Journal } from '../log/journal.ts';
import { BatchCounts } from '../observation/batch-counts.ts';
import type { KeyUse } from '../observation/key-use.ts';
import { calledClient, type Slowness } from '../observation/slowness.ts';
import { Unsettled } from '../observation/unsettled-bands.ts';
import { probeDone } from '../observation/usdt.ts';

const LARGE_KINDS = ['large-request', 'large-reply'] as const;

interface CommandCountsOptions {
  readonly page: Page;
  readonly sender: ReplySender;
  readonly context: ExecutionContext;
  readonly slowness: Slowness;
  readonly keyUse: KeyUse;
  readonly journal: Journal | undefined;
}

/** State of the executor after a command. */
interface Present {
  readonly args: Arguments;
  /** End of the command, by the clock and in Unix milliseconds; the next one begins there. */
  readonly nowUs: number;
  readonly unixMs: number;
  /** Unix milliseconds at the zero of the clock. */
  readonly unixLeadMs: number;
  readonly isProbed: boolean;
  /** Microseconds for which the command has waited for values of the warm tier. */
  readonly fetchUs: number;
  /** Has the next command begin now. */
  readClock(): void;
}

export class CommandCounts {
  /** Requests whose replies wait for the disk. */
  readonly unsettled: Unsettled;
  readonly #options: CommandCountsOptions;
  readonly #page: Page;
  readonly #values: Float64Array;
  readonly #slowness: Slowness;
  readonly #present: Present;
  readonly #batch: BatchCounts;
  /** Bytes of the reply to the command that is noticed by its sizes next; 0 if none is sent. */
  replyBytes = 0;

  constructor(options: CommandCountsOptions, present: Present) {
    this.#options = options;
    this.#page = options.page;
    this.#values = options.page.values;
    this.#slowness = options.slowness;
    this.#present = present;
    this.unsettled = new Unsettled(options);
    const { unsettled } = this;
    this.#batch = new BatchCounts({ ...options, unsettled, unixLeadMs: () => present.unixLeadMs });
  }

  /** Counts the commands since the last call; before their replies are shown, and before what is counted changes. */
  count(): void {
    this.#batch.count();
  }

  /** Counts them before their frames are released. */
  settle(): void {
    this.#batch.count();
    this.#slowness.settle();
  }

  /** Counts the command of a frame, now or with the batch. */
  ran(frame: Frame, entry: CommandEntry, startUs: number, queueUs: number): void {
    if (this.#isPlain(frame, entry)) {
      this.#values[AT.executing] = 0;
      this.#batch.add(entry.countedAs, startUs, this.#present.nowUs, queueUs, frame.word);
      if (this.#batch.isFull) this.#countFull();
    } else {
      this.exclusive(entry, startUs, queueUs);
      this.#noticeSizes(entry, startUs, queueUs);
      this.#page.queued(queueUs * TICKS_PER_US);
    }
  }

  /** Counts before more commands of the batch are run: it is the time of none of them. */
  #countFull(): void {
    this.#batch.count();
    this.#present.readClock();
  }

  /** True for a command of which only the times are recorded. */
  #isPlain(frame: Frame, entry: CommandEntry): boolean {
    return (
      this.#options.sender.writer.errorText === null &&
      this.#page.actor === DEFAULT_USER_ROW &&
      entry.isPlain &&
      !this.#present.isProbed &&
      !this.#mayBeLarge(frame) &&
      this.#slowness.ring.has(frame)
    );
  }

  /** True if the size of the request or of the reply may be logged; never false for one that is. */
  #mayBeLarge({ words, word }: Frame): boolean {
    const { 'large-request': requests, 'large-reply': replies } = this.#slowness.logs;
    const framing = RESP_OVERHEAD_MAX * (words[word + Request.argumentCount]! + 1);
    return (
      words[word + Request.bodyBytes]! + framing >= requests.threshold ||
      this.replyBytes >= replies.threshold
    );
  }

  /** Counts a command of a transaction before the next one adds its reply. */
  queued(entry: CommandEntry, startUs: number): void {
    this.replyBytes = this.#options.sender.written;
    this.exclusive(entry, startUs, 0);
    this.#noticeSizes(entry, startUs, 0);
  }

  /** Counts a command by itself, without its sizes. */
  exclusive(entry: CommandEntry, startUs: number, queueUs: number): void {
    this.#batch.count();
    const { errorText } = this.#options.sender.writer;
    if (errorText !== null) this.#failed(entry, errorText);
    const { nowUs } = this.#present;
    const executeUs = nowUs - startUs;
    const ticks = executeUs * TICKS_PER_US;
    this.#page.executed(entry.countedAs, ticks);
    const values = this.#values;
    values[AT.commands] = values[AT.commands]! + 1;
    values[AT.queueUs] = values[AT.queueUs]! + queueUs;
    values[AT.executeTicks] = values[AT.executeTicks]! + ticks;
    values[AT.executing] = 0;
    this.unsettled.count(queueUs + executeUs, nowUs);
    if (this.#present.isProbed && commandDone.isWatched) probeDone(entry, executeUs, errorText);
    const nth = this.#notice(entry, this.#client, executeUs, queueUs);
    if (nth !== undefined) this.unsettled.logged(this.#slowness.slowLog, nth, nowUs);
  }

  /** Logs a client's command that was counted by the sizes of its request and its reply. */
  #noticeSizes(entry: CommandEntry, startUs: number, queueUs: number): void {
    const { replyBytes } = this;
    // What the primary sends is no client's.
    if (entry.skipsSlowLog || this.#options.context.store.seesExpired) return;
    const { threshold } = this.#slowness.logs['large-request'];
    const requestBytes = requestBytesFrom(this.#present.args, threshold);
    if (requestBytes === 0 && replyBytes < this.#slowness.logs['large-reply'].threshold) return;
    const executeUs = this.#present.nowUs - startUs;
    const sizes = { 'large-request': requestBytes, 'large-reply': replyBytes };
    for (const kind of LARGE_KINDS) {
      const bytes = sizes[kind];
      // Nothing of a request is below the threshold; a reply that was not sent has no bytes.
      if (bytes === 0 || bytes < this.#slowness.logs[kind].threshold) continue;
      const command = { ...this.#logged(this.#client, executeUs, queueUs), bytes };
      const nth = this.#slowness.logLarge(kind, entry, this.#present.args, command);
      this.unsettled.logged(this.#slowness.logs[kind], nth, this.#present.nowUs);
    }
  }

  /** Counts a command that a script has called. */
  called(entry: CommandEntry, executeUs: number): void {
    this.#batch.count();
    const { errorText } = this.#options.sender.writer;
    if (errorText !== null) this.#failed(entry, errorText);
    this.#page.executed(entry.countedAs, executeUs * TICKS_PER_US);
    this.#values[AT.commands] = this.#values[AT.commands]! + 1;
    if (executeUs < this.#slowness.noticeUs) return;
    this.#notice(entry, calledClient(this.#client), executeUs, 0);
  }

  /** Reports the cost of a command to listeners of key usage. */
  use({ words, word }: Frame, entry: CommandEntry, us: number, isCalled = false): void {
    const { keyUse, sender, context } = this.#options;
    // What a script calls is the script's time, and what the primary sends is no client's; that alone sees expired keys.
    if (keyUse.slots.isOn && !isCalled && !context.store.seesExpired) {
      keyUse.slots.executed(entry, this.#present.args, us, sender.written);
    }
    const { traffic } = keyUse;
    traffic.inputBytes = words[word + Request.bodyBytes]!;
    traffic.outputBytes = sender.written;
    keyUse.executed(entry, this.#present.args, us, context);
  }

  #failed(entry: CommandEntry, errorText: string): void {
    this.#page.failed(entry.countedAs);
    countError(this.#page, errorText);
  }

  get #client(): SlowClient {
    return this.#slowness.clientIn(this.#options.context.connection);
  }

  /** Adds an entry to the slow log if the command was slow; returns its id. */
  #notice(
    entry: CommandEntry,
    client: SlowClient,
    executeUs: number,
    queueUs: number,
  ): number | undefined {
    const slowness = this.#slowness;
    const { unixMs, args, fetchUs } = this.#present;
    if (executeUs + fetchUs < slowness.noticeUs) return undefined;
    slowness.occurred('command', executeUs, unixMs);
    if (!slowness.isLogged(entry, executeUs + fetchUs)) return undefined;
    return slowness.log(entry, args, this.#logged(client, executeUs, queueUs));
  }

  #logged(client: SlowClient, executeUs: number, queueUs: number): SlowCommand {
    const { unixMs, fetchUs } = this.#present;
    const { database } = this.#options.context;
    const waitedUs = Math.max(0, queueUs - fetchUs);
    return { unixMs, executeUs, queueUs: waitedUs, durableUs: 0, fetchUs, database, client };
  }
}
