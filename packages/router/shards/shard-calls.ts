/**
 * Content that only shards have, asked of all of them at once.
 *
 * A question takes its place in the order of commands, but waits for no key: it is answered at a barrier
 * and beside held keys. A shard that is stuck in a command is a gap in the report, never a wait; one that merely gets no
 * processor is waited for a little longer, and much longer by callers that say so.
 */

import { type Bytes, LongTimer, unreachable } from '#base';
import type { Page, ShardCall, Staged } from '#stats';
import {
  type CallQuestion,
  decodeMessage,
  encodeMessage,
  FrameKind,
  type PublishedAnswersMessage,
} from '#link';
import { emptyHead, type ShardLink } from './shard-link.ts';

/** Longest wait for a shard that is stuck, in milliseconds. */
const CALL_MS_MAX = 200;
/** Longest wait for a shard that is late, but not stuck: less than the ops thread waits for main. */
const LATE_MS_MAX = 800;

/** Longest wait for a shard that is stuck, where its published answer takes the place of a reply. */
const PUBLISHED_MS_MAX = 20;

/** Reply of one shard, or a mark that it did not reply in time. */
type Report<Answer> =
  | {
      readonly shard: number;
      readonly missing: false;
      readonly answer: Answer;
      /** Unix milliseconds at which the shard published the answer; undefined for a reply. */
      readonly publishedMs?: number;
    }
  | { readonly shard: number; readonly missing: true };

/** Longest waits for the shards that a question goes to, in milliseconds. */
interface Waits {
  /** For a shard that is stuck. */
  readonly timeoutMs: number;
  /** For one that is late, but not stuck. */
  readonly patienceMs: number;
  /** True when the answer that a shard published last will do in place of its reply. */
  readonly acceptsPublished: boolean;
}

/** A pending request. */
interface Asked {
  /** Replies by shard. */
  readonly answers: Map<number, Bytes>;
  left: number;
  timer: LongTimer;
  finish(): void;
}

/** Waits of a request, and the topic whose published answers will do. */
interface SentWaits extends Omit<Waits, 'acceptsPublished'> {
  readonly published?: string | undefined;
}

interface PublishedAnswer {
  readonly body: Bytes;
  readonly publishedMs: number;
}

interface ShardCallsOptions {
  readonly links: readonly ShardLink[];
  readonly page: Page;
  /** True when a shard has been at one command for long, so that it will not answer soon. */
  isStuck(shard: number): boolean;
  /** Returns the answers that a shard published last, as one message; undefined before the first. */
  published(shard: number): Bytes | undefined;
  /** Starts a turn, at whose end frames are published to the shards. */
  beginTurn(): void;
}

export class ShardCalls {
  readonly #options: ShardCallsOptions;
  readonly #asked = new Map<number, Asked>();
  #lastNumber = 0;

  constructor(options: ShardCallsOptions) {
    this.#options = options;
  }

  /** Asks every shard; answers one report per shard, in their order. */
  ask<Question, Answer>(
    topic: ShardCall<Question, Answer>,
    question: Question,
    waits: Partial<Waits> = {},
  ): Promise<readonly Report<Answer>[]> {
    const { acceptsPublished = false, patienceMs = LATE_MS_MAX } = waits;
    const { timeoutMs = acceptsPublished ? PUBLISHED_MS_MAX : CALL_MS_MAX } = waits;
    const body = encodeMessage([topic.name, question] satisfies CallQuestion);
    const published = acceptsPublished ? topic.name : undefined;
    const call = { timeoutMs, patienceMs, published };
    return this.#send<Answer>(this.#options.links, FrameKind.call, body, call);
  }

  /** Asks one shard. */
  async askOne<Question, Answer>(
    shard: number,
    topic: ShardCall<Question, Answer>,
    how: { readonly question: Question; readonly timeoutMs: number },
  ): Promise<Report<Answer>> {
    const link = this.#options.links[shard] ?? unreachable('the shard exists');
    const { question, timeoutMs } = how;
    const body = encodeMessage([topic.name, question] satisfies CallQuestion);
    const waits = { timeoutMs, patienceMs: timeoutMs };
    const [report] = await this.#send<Answer>([link], FrameKind.call, body, waits);
    return report ?? unreachable('there is one report for each shard asked');
  }

  /** Has a shard build keys of a primary's data, in a batch that is written to its ring as it is. */
  async stage(shard: number, batch: Bytes, timeoutMs: number): Promise<Report<Staged>> {
    const link = this.#options.links[shard] ?? unreachable('the shard exists');
    const [report] = await this.#send<Staged>([link], FrameKind.stage, batch, {
      timeoutMs,
      patienceMs: timeoutMs,
    });
    return report ?? unreachable('there is one report for each shard asked');
  }

  #send<Answer>(
    links: readonly ShardLink[],
    kind: number,
    body: Bytes,
    { timeoutMs, patienceMs, published }: SentWaits,
  ): Promise<readonly Report<Answer>[]> {
    const number = (this.#lastNumber + 1) >>> 0;
    this.#lastNumber = number;
    const asked = new Promise<readonly Report<Answer>[]>((resolve) => {
      const answers = new Map<number, Bytes>();
      const finish = (): void => {
        this.#asked.delete(number);
        const reports = links.map(({ index }) =>
          reportOf<Answer>(answers.get(index) ?? this.#publishedAnswer(index, published), index),
        );
        const gaps = links.length - answers.size;
        if (gaps > 0) this.#options.page.add('missingShardReplies', gaps);
        resolve(reports);
      };
      const isHopeful = (waitedMs: number): boolean =>
        waitedMs < patienceMs &&
        links.some(({ index }) => !answers.has(index) && !this.#options.isStuck(index));
      const wait = (waitedMs: number): LongTimer =>
        new LongTimer(timeoutMs, () => {
          if (isHopeful(waitedMs + timeoutMs)) asking.timer = wait(waitedMs + timeoutMs);
          else finish();
        });
      const asking: Asked = { answers, left: links.length, timer: wait(timeoutMs), finish };
      this.#asked.set(number, asking);
    });
    const head = { ...emptyHead(), kind, sequence: number };
    for (const link of links) link.sendMessage(head, body);
    this.#options.beginTurn();
    return asked;
  }

  /** Answer to a topic that a shard has published; undefined without one. */
  #publishedAnswer(shard: number, topic: string | undefined): PublishedAnswer | undefined {
    const bytes = topic === undefined ? undefined : this.#options.published(shard);
    if (topic === undefined || bytes === undefined) return undefined;
    const [publishedMs, answers] = decodeMessage(bytes) as PublishedAnswersMessage;
    const body = answers[topic];
    return body === undefined || body.length === 0 ? undefined : { body, publishedMs };
  }

  /** A shard has answered; the bytes are the report's to keep. */
  answered(shard: number, number: number, body: Bytes): void {
    const asked = this.#asked.get(number);
    // It came too late.
    if (asked === undefined) return;
    asked.answers.set(shard, body);
    asked.left -= 1;
    if (asked.left > 0) return;
    asked.timer.cancel();
    asked.finish();
  }
}

function reportOf<Answer>(
  found: Bytes | PublishedAnswer | undefined,
  shard: number,
): Report<Answer> {
  if (found === undefined) return { shard, missing: true };
  // The answerer of a topic answers what the topic's type says.
  if (found instanceof Uint8Array) {
    return { shard, missing: false, answer: decodeMessage(found) as Answer };
  }
  const { body, publishedMs } = found;
  return { shard, missing: false, answer: decodeMessage(body) as Answer, publishedMs };
}
