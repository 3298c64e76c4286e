/**
 * Publishes a shard's answers to calls of main in shared memory, about once a second: main has them while the shard
 * executes one long command, or gets no processor.
 */

import type { Bytes } from '#base';
import type { ShardCall } from '#stats';
import { encodeMessage, type PublishedAnswersMessage, type SharedReport } from '#link';
import type { CallAnswerers } from './call-answerers.ts';

/** Between two publications, in microseconds. */
const PERIOD_US = 1_000_000;

export class PublishedAnswers {
  readonly #report: SharedReport;
  readonly #answerers: CallAnswerers;
  readonly #sources: (readonly [name: string, question: unknown])[] = [];
  #dueUs = 0;
  #commands = -1;

  constructor(report: SharedReport, answerers: CallAnswerers) {
    this.#report = report;
    this.#answerers = answerers;
  }

  /** Adds a topic with the question that is answered for everyone. */
  add<Question, Answer>({ name }: ShardCall<Question, Answer>, question: Question): void {
    this.#sources.push([name, question]);
  }

  /** Publishes the answers if commands were executed since, and a second has passed. */
  show(nowUs: number, wallMs: number, commands: number): void {
    if (nowUs < this.#dueUs || commands === this.#commands) return;
    this.#dueUs = nowUs + PERIOD_US;
    this.#commands = commands;
    const answers: Record<string, Bytes> = {};
    for (const [name, question] of this.#sources) {
      answers[name] = this.#answerers.encoded(name, question);
    }
    // What is too long is left out, the longest first.
    const byLength = Object.keys(answers).sort((a, b) => answers[b]!.length - answers[a]!.length);
    while (
      !this.#report.publish(encodeMessage([wallMs, answers] satisfies PublishedAnswersMessage))
    ) {
      const longest = byLength.shift();
      if (longest === undefined) return;
      answers[longest] = new Uint8Array(0);
    }
  }
}
