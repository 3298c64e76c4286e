/** Replies of a shard to calls of main for content: one handler for each topic. */

import { assert, type Bytes, unreachable } from '#base';
import type { ShardCall, Staged } from '#stats';
import { type CallQuestion, decodeMessage, encodeMessage, FrameKind, Request } from '#link';
import type { Frame } from './frame.ts';
import type { ReplySender } from './reply-sender.ts';

type Answerer = (question: unknown) => unknown;

export class CallAnswerers {
  readonly #answerers = new Map<string, Answerer>();
  readonly #sender: ReplySender;
  #stage: ((batch: Bytes) => Staged) | undefined;

  constructor(sender: ReplySender) {
    this.#sender = sender;
  }

  /** Sets the handler of a topic. */
  on<Question, Answer>(
    { name }: ShardCall<Question, Answer>,
    answerer: (question: Question) => Answer,
  ): void {
    assert(!this.#answerers.has(name), 'a topic has one answerer');
    this.#answerers.set(name, answerer as Answerer);
  }

  /** Sets the handler that builds the keys of a batch, which is valid until it returns. */
  onStage(stage: (batch: Bytes) => Staged): void {
    this.#stage = stage;
  }

  /** Replies to a frame with such a batch. */
  answerStage(frame: Frame): void {
    const stage = this.#stage ?? unreachable('somebody builds keys');
    const number = frame.words[frame.word + Request.sequence]! >>> 0;
    this.#sender.send(FrameKind.call, 0, number, encodeMessage(stage(frame.borrowedBody)));
  }

  /** Replies to a call of main. */
  answer(frame: Frame): void {
    const number = frame.words[frame.word + Request.sequence]! >>> 0;
    const [name, question] = decodeMessage(frame.body) as CallQuestion;
    this.#sender.send(FrameKind.call, 0, number, this.encoded(name, question));
  }

  /** Returns the answer to a call, as its reply contains it. */
  encoded(name: string, question: unknown): Bytes {
    const answerer = this.#answerers.get(name) ?? unreachable(`somebody answers ${name}`);
    return encodeMessage(answerer(question));
  }
}
