/** Reports that only main can give, requested by message: each with its name, question and answer. */

import type { CommandLogKind } from '#base';
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
import type { PageCalls, RemovedKeysAnswer, RemovedKeysQuestion } from './page-calls.ts';
import type { ClientName } from './shard-watch.ts';

/** Most milliseconds that main is waited for. It may be busy, and its clients never wait because of these requests. */
const MAIN_MS_MAX = 1_000;

/** Milliseconds that a bundle waits. Main waits 5 s for a late shard, and may have been stuck before. */
const PATIENT_MS_MAX = 10_000;

/** Interval at which main is looked at while a request waits for it, in milliseconds. */
const LOOK_MS = 50;

/** Everything that is asked of main. */
interface MainCalls extends PageCalls {
  clients: { question: null; answer: readonly ClientReport[] };
  /** Slots of main's list, and the ids of the clients in them. */
  'client-ids': { question: readonly number[]; answer: readonly (number | null)[] };
  /** Slot of main's list; null without a client in it. */
  'client-name': { question: number; answer: ClientName | null };
  slowlog: {
    /** Infinity: all. */
    question: { kind: CommandLogKind; count: number };
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

interface MainClientOptions {
  readonly calls: PortCalls;
  /** Returns the standstill of main; null while there is none. */
  standstill(): { readonly silentUs: number; readonly doing: string } | null;
  wallMs(): number;
}

export class MainClient {
  readonly #options: MainClientOptions;
  readonly #isPatient: boolean;

  constructor(options: MainClientOptions, isPatient = false) {
    this.#options = options;
    this.#isPatient = isPatient;
  }

  /** Returns a client that waits for a stuck main and for late shards, for documents that must be complete. */
  patient(): MainClient {
    return new MainClient(this.#options, true);
  }

  /**
   * Rejects with the error for the HTTP client. While main is known to be stuck, nothing is sent, and waiting requests end:
   * main would reply to them, and act on them, when its caller has long gone.
   */
  async ask<Name extends MainCallName>(
    name: Name,
    question: MainCalls[Name]['question'],
    timeoutMs = this.#isPatient ? PATIENT_MS_MAX : MAIN_MS_MAX,
  ): Promise<MainCalls[Name]['answer']> {
    const error = this.#isPatient ? undefined : this.#stuckError;
    if (error !== undefined) throw error;
    try {
      const reply = this.#options.calls.ask(name, question, timeoutMs);
      return (await (this.#isPatient ? reply : this.#orStuck(reply))) as MainCalls[Name]['answer'];
    } catch (problem) {
      if (!(problem instanceof CallError)) throw problem;
      throw mainError(problem);
    }
  }

  /** Error of requests while main is stuck; undefined while it is not. */
  get #stuckError(): HttpError | undefined {
    const standstill = this.#options.standstill();
    if (standstill === null) return undefined;
    const since = new Date(this.#options.wallMs() - standstill.silentUs / 1_000).toISOString();
    const detail = `main ${standstill.doing}, since ${since}`;
    return new HttpError(503, 'the main thread is stuck', { 'Retry-After': '1' }, detail);
  }

  /** Returns the reply; rejects earlier if main turns out to be stuck. */
  async #orStuck(reply: Promise<unknown>): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const stuck = new Promise<never>((_resolve, reject) => {
      timer = setInterval(() => {
        const error = this.#stuckError;
        if (error !== undefined) reject(error);
      }, LOOK_MS);
    });
    // A reply after that has no receiver, and its failure none either.
    reply.catch(() => undefined);
    try {
      return await Promise.race([reply, stuck]);
    } finally {
      clearInterval(timer);
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
