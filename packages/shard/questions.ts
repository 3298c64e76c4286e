/** Answers of a shard when main asks for content: one answerer for each topic. */

import { assert, unreachable } from '#base';
import type { Topic } from '#stats';
import { decodeMessage, encodeMessage, FrameKind, Request, type ReportQuestion } from '#link';
import type { Frame } from './execution/frame.ts';
import type { ReplySender } from './execution/reply-sender.ts';

type Answerer = (question: unknown) => unknown;

export class Questions {
  readonly #answerers = new Map<string, Answerer>();
  readonly #sender: ReplySender;

  constructor(sender: ReplySender) {
    this.#sender = sender;
  }

  /** Says who answers a topic. */
  on<Question, Answer>(
    { name }: Topic<Question, Answer>,
    answerer: (question: Question) => Answer,
  ): void {
    assert(!this.#answerers.has(name), 'a topic has one answerer');
    this.#answerers.set(name, answerer as Answerer);
  }

  /** Answers what main asks in a frame. */
  answer(frame: Frame): void {
    const number = frame.words[frame.word + Request.sequence]! >>> 0;
    const [name, question] = decodeMessage(frame.body) as ReportQuestion;
    const answerer = this.#answerers.get(name) ?? unreachable(`somebody answers ${name}`);
    this.#sender.send(FrameKind.report, 0, number, encodeMessage(answerer(question)));
  }
}
