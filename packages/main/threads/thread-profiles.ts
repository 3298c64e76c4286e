/** Profiles and heaps of single threads, for DEBUG SHARD. */

import { type Bytes, LongTimer } from '#base';
import type { HeapReport, ThreadsPort } from '#commands';
import { HEAP, PROFILE, type ShardCall, ThreadProfiler } from '#stats';
import type { ShardCalls } from '#router';
import { positionsTaskUrl } from '#workers';
import { runTask } from './run-task.ts';

/** Longest wait for a shard, in milliseconds: it may be in a slow command. */
const ANSWER_MS_MAX = 1_000;
/** A profile that is made is waited for, though the shard may be in a slow command when it ends. */
const PROFILE_MS_MAX = 10_000;

export class ThreadProfiles implements ThreadsPort {
  readonly names: readonly string[];
  readonly #shardCalls: ShardCalls;
  readonly #main = new ThreadProfiler();
  /** Threads of which a profile is being made. */
  readonly #profiled = new Set<string>();

  constructor(names: readonly string[], shardCalls: ShardCalls) {
    this.names = names;
    this.#shardCalls = shardCalls;
  }

  async profile(thread: string, seconds: number): Promise<Bytes> {
    if (this.#profiled.has(thread)) throw new Error(`a profile of ${thread} is already running`);
    this.#profiled.add(thread);
    try {
      return await this.#profile(thread, seconds);
    } finally {
      this.#profiled.delete(thread);
    }
  }

  async #profile(thread: string, seconds: number): Promise<Bytes> {
    try {
      const { problem } = await this.#ask(thread, PROFILE, 'start', ANSWER_MS_MAX);
      if (problem !== null) reject(problem);
      await new Promise<void>((resolve) => {
        new LongTimer(seconds * 1_000, resolve);
      });
    } catch (error) {
      // The shard may start it later: this request follows in order, and ends it.
      void this.#ask(thread, PROFILE, 'stop', PROFILE_MS_MAX).catch(() => null);
      throw error;
    }
    const { profile, problem } = await this.#ask(thread, PROFILE, 'stop', PROFILE_MS_MAX);
    if (profile === null) return reject(problem ?? `${thread} has no profile`);
    return runTask<Bytes>(positionsTaskUrl, 'namePositions', profile, []);
  }

  heap(thread: string): Promise<HeapReport> {
    return this.#ask(thread, HEAP, null, ANSWER_MS_MAX);
  }

  /** Main answers itself, as a shard does. */
  async #ask<Question, Answer>(
    thread: string,
    topic: ShardCall<Question, Answer>,
    question: Question,
    timeoutMs: number,
  ): Promise<Answer> {
    if (thread === 'main') return this.#answer(topic.name, question) as Answer;
    const shard = this.names.indexOf(thread) - 1;
    const report = await this.#shardCalls.askOne(shard, topic, { question, timeoutMs });
    if (!report.missing) return report.answer;
    throw new Error(`${thread} did not reply within ${timeoutMs / 1_000} s: it is busy`);
  }

  #answer(name: string, question: unknown): unknown {
    return name === HEAP.name
      ? this.#main.heap()
      : this.#main.profile(question as 'start' | 'stop');
  }
}

function reject(problem: string): never {
  throw new Error(problem);
}
