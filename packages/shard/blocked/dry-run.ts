/** Looks at what commands would do here, and runs those that several shards run together. */

import type { Wait } from '#commands';
import { encodeKeys, FrameKind, Request } from '#link';
import type { ExecutionContext } from '../execution/context.ts';
import type { Effects } from '../execution/effects.ts';
import type { Executor } from '../execution/executor.ts';
import type { Frame } from '../frames/frame.ts';
import { encodeItems } from '../execution/items.ts';
import type { KeyEvents } from '../execution/key-events.ts';
import { MODES } from '../execution/mode.ts';
import { namedKeys } from '../execution/key-discovery.ts';
import type { ReplySender } from '../frames/reply-sender.ts';

interface DryRunsOptions {
  readonly executor: Executor;
  readonly context: ExecutionContext;
  readonly sender: ReplySender;
  readonly events: KeyEvents;
  readonly effects: Effects;
}

export class DryRuns {
  readonly #options: DryRunsOptions;

  constructor(options: DryRunsOptions) {
    this.#options = options;
  }

  /** True when every shard runs the command on its own keys. */
  runsOnEach(frame: Frame): boolean {
    const { command } = this.#options.executor.entryOf(frame);
    return command.route === 'oneShard' && command.acrossShards === 'each';
  }

  /**
   * Tries a command that shards run together: returns what it would wait for here, or whether it has something to
   * answer. Undefined when it would not wait; `refusedAt` is how far it had come when it failed, or -1.
   */
  tryCommand(frame: Frame): { wait: Wait | undefined; refusedAt: number } {
    const { executor, context, sender } = this.#options;
    const { words, word } = frame;
    const entry = executor.point(frame);
    executor.setNow();
    sender.begin(words[word + Request.connection]!, words[word + Request.sequence]! >>> 0);
    executor.execute(entry, MODES.offer);
    sender.abandon();
    const wait = context.turn.takeWait();
    return { wait, refusedAt: sender.writer.errorText === null ? -1 : context.turn.judgement };
  }

  /** Reports to main which other keys a command reads. */
  inquire(frame: Frame): void {
    const { executor, context, sender } = this.#options;
    const { words, word } = frame;
    const entry = executor.point(frame);
    executor.setNow();
    const keys = namedKeys(entry, context, executor.args);
    const sequence = words[word + Request.sequence]! >>> 0;
    const slot = words[word + Request.connection]!;
    sender.send(FrameKind.inquiry, slot, sequence, encodeKeys(keys));
  }

  /** Runs a command on this shard's keys, and sends main the items that it answers. */
  runItems(frame: Frame): void {
    const { executor, context, sender, events, effects } = this.#options;
    const { words, word } = frame;
    const startUs = executor.nowUs;
    const entry = executor.point(frame);
    const sequence = words[word + Request.sequence]! >>> 0;
    const slot = words[word + Request.connection]!;
    sender.writer.isWhole = true;
    executor.start(frame, entry);
    sender.begin(slot, sequence);
    executor.execute(entry, MODES.items, frame);
    effects.end(frame);
    const body = encodeItems(sender.writer, context.turn.items);
    sender.writer.isWhole = false;
    sender.abandon();
    executor.counts.exclusive(entry, startUs, executor.queueUs(frame, startUs));
    events.sendRest();
    sender.send(FrameKind.items, slot, sequence, body);
  }
}
