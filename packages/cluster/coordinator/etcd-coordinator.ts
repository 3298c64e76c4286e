/**
 * The coordinator as an etcd. The only file that knows etcd's client library.
 *
 * The library's own circuit breaker stays open for five seconds after three failures, longer than most leases live: it is
 * switched off, and whoever calls tries again by itself. Its renewal of leases knows no deadline that could be a fence, so
 * leases are renewed by single calls.
 */

import { Etcd3, type IOptions, type Watcher } from 'etcd3';
import { systemClock } from '#base';
import { CoordinatorError } from './coordinator.ts';
import type {
  Change,
  Coordinator,
  Guard,
  Outcome,
  Reading,
  WatchSink,
  Write,
} from './coordinator.ts';

export interface EtcdOptions {
  readonly endpoints: readonly string[];
  /** Name of the cluster: its documents are under `/svc/<name>/`. */
  readonly cluster: string;
  readonly username: string;
  readonly password: string;
  readonly tls: EtcdTls | undefined;
  /** Longest wait for an answer. */
  readonly timeoutMs: number;
}

/** Certificates towards etcd, as PEM. */
export interface EtcdTls {
  readonly ca: Buffer;
  readonly key?: Buffer;
  readonly cert?: Buffer;
}

type Lease = ReturnType<Etcd3['lease']>;
type FaultHandling = NonNullable<IOptions['faultHandling']>;

/** Calls once and does not hold failures against a host. What is called may throw at once, which is a failure like others. */
const plainPolicy = {
  execute: async (call: (context: { signal: AbortSignal }) => unknown): Promise<unknown> =>
    await call({ signal: new AbortController().signal }),
} as unknown as NonNullable<FaultHandling['global']>;

const LEASE_MS_MIN = 1_000;

/** Milliseconds between two tries of a watch to connect. */
const WATCH_RETRY_MS = 100;

const watchBackoff: NonNullable<FaultHandling['watchBackoff']> & { duration: number } = {
  duration: WATCH_RETRY_MS,
  next: () => watchBackoff,
};

export class EtcdCoordinator implements Coordinator {
  readonly #client: Etcd3;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #endpoints: string;
  #lease: Lease | undefined;

  constructor({ endpoints, cluster, username, password, tls, timeoutMs }: EtcdOptions) {
    this.#prefix = `/svc/${cluster}/`;
    this.#timeoutMs = timeoutMs;
    this.#endpoints = endpoints.join(', ');
    this.#client = new Etcd3({
      hosts: endpoints.map((endpoint) => withScheme(endpoint, tls !== undefined)),
      // A watch and a renewal are streams, which have no end.
      defaultCallOptions: ({ isStream }) => (isStream ? {} : { deadline: deadlineIn(timeoutMs) }),
      faultHandling: { host: () => plainPolicy, global: plainPolicy, watchBackoff },
      ...(username === '' ? {} : { auth: { username, password } }),
      ...(tls === undefined ? {} : { credentials: credentialsOf(tls) }),
    });
  }

  async read(): Promise<Reading> {
    const answer = await this.#try(this.#client.getAll().prefix(this.#prefix).exec());
    return {
      source: answer.header.cluster_id,
      revision: Number(answer.header.revision),
      entries: answer.kvs.map(({ key, value, mod_revision: revision }) => ({
        key: key.toString().slice(this.#prefix.length),
        value: value.toString(),
        revision: Number(revision),
      })),
    };
  }

  watch(from: number, sink: WatchSink): () => void {
    let isOver = false;
    let watcher: Watcher | undefined;
    const end = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      sink.ended(reason);
    };
    watcher = this.#client.watch().prefix(this.#prefix).startRevision(String(from)).watcher();
    watcher.on('data', ({ events, header }) => {
      if (isOver) return;
      const changes = events.map(({ type, kv }): Change => {
        const key = kv.key.toString().slice(this.#prefix.length);
        const value = type === 'Put' ? kv.value.toString() : undefined;
        return { key, value, revision: Number(kv.mod_revision) };
      });
      sink.changed(changes, Number(header.revision));
    });
    let isInterrupted = false;
    watcher.on('disconnected', () => {
      isInterrupted = true;
    });
    watcher.on('connected', () => {
      if (isInterrupted && !isOver) sink.resumed();
      isInterrupted = false;
    });
    watcher.on('error', (error) => {
      end(reasonOf(error));
    });
    return () => {
      isOver = true;
      void watcher?.cancel().catch(() => undefined);
      watcher = undefined;
    };
  }

  async commit(guards: readonly Guard[], writes: readonly Write[]): Promise<Outcome> {
    const lease = writes.some(({ isLeased }) => isLeased === true)
      ? await this.#try(this.#leaseOrNone().grant())
      : undefined;
    const operations = writes.map(({ key, value, isLeased }) => {
      const name = this.#prefix + key;
      if (value === undefined) return this.#client.delete().key(name);
      const put = this.#client.put(name).value(value);
      return isLeased === true ? put.lease(lease!) : put;
    });
    const [first, ...rest] = guards;
    const answer = await this.#try(
      first === undefined
        ? this.#client
            .if(this.#prefix, 'Version', '==', 0)
            .then(...operations)
            .commit()
        : rest
            .reduce(
              (chain, { key, revision }) => chain.and(this.#prefix + key, 'Mod', '==', revision),
              this.#client.if(this.#prefix + first.key, 'Mod', '==', first.revision),
            )
            .then(...operations)
            .commit(),
    );
    return { isDone: answer.succeeded, revision: Number(answer.header.revision) };
  }

  #leaseOrNone(): Lease {
    if (this.#lease === undefined) throw new CoordinatorError('there is no lease');
    return this.#lease;
  }

  async grant(ttlMs: number): Promise<number> {
    this.#lease?.release();
    const seconds = Math.ceil(Math.max(ttlMs, LEASE_MS_MIN) / 1_000);
    const lease = this.#client.lease(seconds, {
      autoKeepAlive: false,
      deadline: deadlineIn(this.#timeoutMs),
    });
    // Told by the calls that fail for it.
    lease.on('lost', () => undefined);
    this.#lease = lease;
    await this.#try(lease.grant());
    return seconds * 1_000;
  }

  async keepAlive(): Promise<number> {
    const lease = this.#leaseOrNone();
    if (lease.revoked()) return 0;
    try {
      const deadline = deadlineIn(this.#timeoutMs);
      const { TTL: ttl } = await lease.keepaliveOnce({ deadline });
      return Number(ttl) * 1_000;
    } catch (error) {
      if (lease.revoked()) return 0;
      throw new CoordinatorError(this.#told(error), { cause: error });
    }
  }

  async revoke(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease === undefined || lease.revoked()) return;
    await this.#try(lease.revoke({ deadline: deadlineIn(this.#timeoutMs) }));
  }

  close(): void {
    this.#lease?.release();
    this.#client.close();
  }

  async #try<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      throw new CoordinatorError(this.#told(error), { cause: error });
    }
  }

  #told(error: unknown): string {
    return `etcd (${this.#endpoints}): ${reasonOf(error)}`;
  }
}

/** The library takes moments of the wall clock. */
function deadlineIn(ms: number): number {
  return systemClock.wallMs() + ms;
}

function withScheme(endpoint: string, isSecure: boolean): string {
  if (/^https?:\/\//.test(endpoint)) return endpoint;
  return `${isSecure ? 'https' : 'http'}://${endpoint}`;
}

function credentialsOf({ ca, key, cert }: EtcdTls): NonNullable<IOptions['credentials']> {
  return {
    rootCertificate: ca,
    ...(key === undefined ? {} : { privateKey: key }),
    ...(cert === undefined ? {} : { certChain: cert }),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\s+/g, ' ').trim() : String(error);
}
