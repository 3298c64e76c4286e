/** Reports that only main can give, requested by message: each with its name, question and answer. */

import type { ShardContent } from '#stats';
import type {
  ClientReport,
  ClusterDocument,
  ClusterNodeDocument,
  LatencyEventReport,
  ReplicationDocument,
  ScriptsDocument,
  SlowlogDocument,
  UsersDocument,
} from '#api-types';
import { CallError, type PortCalls } from '#link';
import { HttpError } from '../protocol/answer.ts';
import type { RemovedKeysAnswer, RemovedKeysQuestion } from './key-fates-request.ts';
import type { PageCalls } from './page-calls.ts';
import type { ClientName } from './shard-watch.ts';

/** Most milliseconds that main is waited for. It may be busy, and its clients never wait because of these requests. */
const MAIN_MS_MAX = 1_000;

/** Milliseconds that a bundle waits: a second more than main waits for a late shard. */
const PATIENT_MS_MAX = 6_000;

/** Everything that is asked of main. */
interface MainCalls extends PageCalls {
  clients: { question: null; answer: readonly ClientReport[] };
  /** Slots of main's list, and the ids of the clients in them. */
  'client-ids': { question: readonly number[]; answer: readonly (number | null)[] };
  /** Slot of main's list; null without a client in it. */
  'client-name': { question: number; answer: ClientName | null };
  slowlog: {
    /** Infinity: all. */
    question: { count: number };
    answer: SlowlogDocument;
  };
  'removed-keys': { question: RemovedKeysQuestion; answer: RemovedKeysAnswer };
  /** Infinity: all. */
  scripts: { question: { count: number }; answer: ScriptsDocument };
  /** Infinity: all. */
  users: { question: { count: number }; answer: UsersDocument };
  replication: { question: null; answer: ReplicationDocument };
  /** Null where the server is in no cluster. */
  cluster: { question: null; answer: ClusterDocument | null };
  /** Null for a node that is not known. */
  'cluster-node': { question: { id: string }; answer: ClusterNodeDocument | null };
  /** Text of LATENCY DOCTOR. */
  'latency-doctor': { question: null; answer: string };
  'latency-events': { question: null; answer: readonly LatencyEventReport[] };
  /** Contents by shard; null for one that did not answer in time. */
  shards: { question: null; answer: readonly (ShardContent | null)[] };
  /** Begins a snapshot, if none is under way and anything is kept on disk. */
  snapshot: { question: null; answer: 'started' | 'busy' | 'nothing-kept' };
  /** Starts a shutdown; replies once it has started. */
  shutdown: { question: { save: SaveAtEnd }; answer: 'begun' | 'nothing-kept' };
}

type MainCallName = keyof MainCalls;

/** Data to save at shutdown. By default, changes are saved where snapshots are taken at all, as SHUTDOWN does it. */
export type SaveAtEnd = 'default' | 'always' | 'never';

/** Handlers of main for requests of the debug pages. */
export type PageAnswers = Pick<MainAnswers, keyof PageCalls>;

/** Main's side: an answer to every question. */
export type MainAnswers = {
  readonly [Name in MainCallName]: (
    question: MainCalls[Name]['question'],
  ) => MainCalls[Name]['answer'] | Promise<MainCalls[Name]['answer']>;
};

export class MainClient {
  readonly #calls: PortCalls;
  readonly #timeoutMs: number;

  constructor(calls: PortCalls, timeoutMs = MAIN_MS_MAX) {
    this.#calls = calls;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns a client that waits as long as main itself waits for late shards, for documents that must be complete. */
  patient(): MainClient {
    return new MainClient(this.#calls, PATIENT_MS_MAX);
  }

  /** Rejects with what the one who asked over HTTP is answered. */
  async ask<Name extends MainCallName>(
    name: Name,
    question: MainCalls[Name]['question'],
    timeoutMs = this.#timeoutMs,
  ): Promise<MainCalls[Name]['answer']> {
    try {
      return (await this.#calls.ask(name, question, timeoutMs)) as MainCalls[Name]['answer'];
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      throw mainError(error);
    }
  }
}

function mainError({ problem, message }: CallError): HttpError {
  switch (problem) {
    case 'unknown':
      return new HttpError(503, 'not available');
    case 'late':
      return new HttpError(503, 'the main thread did not reply in time');
    case 'failed':
      return new HttpError(500, message);
  }
}
