/**
 * Content that only shards have, asked of all of them at once.
 *
 * A question takes its place in the order of commands, but waits for no key: it is answered at a barrier
 * and beside held keys. A shard that does not answer in time is a gap in the report, never a wait.
 */

import { LongTimer, type Bytes } from '#base';
import type { Page, Topic } from '#diag';
import { decodeMessage, encodeMessage, FrameKind, type ReportQuestion } from '#link';
import { emptyHead, type ShardLink } from './shard-link.ts';

/** How long shards are waited for. */
export const REPORT_MS_MAX = 200;

/** What one shard said, or that it said nothing in time. */
export type Report<Answer> =
  | { readonly shard: number; readonly missing: false; readonly answer: Answer }
  | { readonly shard: number; readonly missing: true };

/** One question under way. */
interface Asked {
  readonly answers: (Bytes | undefined)[];
  left: number;
  readonly timer: LongTimer;
  finish(): void;
}

export interface ReportsParts {
  readonly links: readonly ShardLink[];
  readonly page: Page;
  /** Begins a turn, outside of which nothing is seen by shards. */
  beginTurn(): void;
}

export class Reports {
  readonly #parts: ReportsParts;
  readonly #asked = new Map<number, Asked>();
  #lastNumber = 0;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  /** Asks every shard; answers one report per shard, in their order. */
  ask<Question, Answer>(
    { name }: Topic<Question, Answer>,
    question: Question,
    timeoutMs = REPORT_MS_MAX,
  ): Promise<readonly Report<Answer>[]> {
    const { links } = this.#parts;
    const number = (this.#lastNumber + 1) >>> 0;
    this.#lastNumber = number;
    const asked = new Promise<readonly Report<Answer>[]>((resolve) => {
      const answers = new Array<Bytes | undefined>(links.length).fill(undefined);
      const finish = (): void => {
        this.#asked.delete(number);
        const gaps = answers.filter((answer) => answer === undefined).length;
        if (gaps > 0) this.#parts.page.add('reportGaps', gaps);
        resolve(answers.map((answer, shard) => reportOf<Answer>(answer, shard)));
      };
      const timer = new LongTimer(timeoutMs, finish);
      this.#asked.set(number, { answers, left: links.length, timer, finish });
    });
    const body = encodeMessage([name, question] satisfies ReportQuestion);
    const head = { ...emptyHead(), kind: FrameKind.report, sequence: number };
    for (const link of links) link.sendMessage(head, body);
    this.#parts.beginTurn();
    return asked;
  }

  /** A shard has answered; the bytes are the report's to keep. */
  answered(shard: number, number: number, body: Bytes): void {
    const asked = this.#asked.get(number);
    // It came too late.
    if (asked === undefined) return;
    asked.answers[shard] = body;
    asked.left -= 1;
    if (asked.left > 0) return;
    asked.timer.cancel();
    asked.finish();
  }
}

function reportOf<Answer>(body: Bytes | undefined, shard: number): Report<Answer> {
  if (body === undefined) return { shard, missing: true };
  // The answerer of a topic answers what the topic's type says.
  return { shard, missing: false, answer: decodeMessage(body) as Answer };
}
