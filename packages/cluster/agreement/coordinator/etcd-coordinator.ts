/** The coordinator as an etcd: documents are keys, and a decision is a transaction on the revisions that have written them. */

import { status, type ServiceError } from '@grpc/grpc-js';
import { CoordinatorError } from './coordinator.ts';
import type { Coordinator, Guard, Outcome, Reading, WatchSink, Write } from './coordinator.ts';
import {
  EtcdConnection,
  reasonOf,
  type EtcdCall,
  type EtcdConnectionOptions,
} from './etcd-connection.ts';
import {
  COMPARE_EQUAL,
  COMPARE_MOD_REVISION,
  type LeaseResponse,
  type RangeResponse,
  type TxnResponse,
} from './etcd-schema.ts';
import { EtcdWatch } from './etcd-watch.ts';
import { keyRange } from './key-range.ts';
import { LeaseRenewals } from './lease-renewals.ts';

export interface EtcdOptions extends EtcdConnectionOptions {
  /** Name of the cluster: its documents are under `/svc/<name>/`. */
  readonly cluster: string;
}

interface GrantedLease {
  readonly id: string;
  readonly renewals: LeaseRenewals;
}

const LEASE_MS_MIN = 1_000;

export class EtcdCoordinator implements Coordinator {
  readonly #connection: EtcdConnection;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #endpoints: string;
  readonly #watches = new Set<EtcdWatch>();
  #lease: GrantedLease | undefined;

  constructor(options: EtcdOptions) {
    this.#prefix = `/svc/${options.cluster}/`;
    this.#timeoutMs = options.timeoutMs;
    this.#endpoints = options.endpoints.join(', ');
    this.#connection = new EtcdConnection(options);
  }

  async read(): Promise<Reading> {
    const { header, kvs } = await this.#call<RangeResponse>('KV/Range', keyRange(this.#prefix));
    return {
      source: header.clusterId,
      revision: Number(header.revision),
      entries: kvs.map(({ key, value, modRevision }) => ({
        key: key.toString().slice(this.#prefix.length),
        value: value.toString(),
        revision: Number(modRevision),
      })),
    };
  }

  watch(from: number, sink: WatchSink): () => void {
    const watch = new EtcdWatch({
      connection: this.#connection,
      prefix: this.#prefix,
      from,
      timeoutMs: this.#timeoutMs,
      sink: {
        changed: (changes, revision) => {
          sink.changed(changes, revision);
        },
        resumed: () => {
          sink.resumed();
        },
        ended: (reason) => {
          this.#watches.delete(watch);
          sink.ended(reason);
        },
      },
    });
    this.#watches.add(watch);
    return () => {
      this.#watches.delete(watch);
      watch.end();
    };
  }

  async commit(guards: readonly Guard[], writes: readonly Write[]): Promise<Outcome> {
    const { header, succeeded } = await this.#call<TxnResponse>('KV/Txn', {
      compare: guards.map(({ key, revision }) => ({
        result: COMPARE_EQUAL,
        target: COMPARE_MOD_REVISION,
        key: this.#keyOf(key),
        modRevision: String(revision),
      })),
      success: writes.map((write) => this.#operationOf(write)),
    });
    return { isDone: succeeded, revision: Number(header.revision) };
  }

  #operationOf({ key, value, isLeased }: Write): object {
    const name = this.#keyOf(key);
    if (value === undefined) return { deleteRange: { key: name } };
    const put = { key: name, value: Buffer.from(value) };
    return { put: isLeased === true ? { ...put, lease: this.#leaseOrThrow().id } : put };
  }

  #keyOf(key: string): Buffer {
    return Buffer.from(this.#prefix + key);
  }

  #leaseOrThrow(): GrantedLease {
    if (this.#lease === undefined) throw new CoordinatorError('there is no lease');
    return this.#lease;
  }

  async grant(ttlMs: number): Promise<number> {
    this.#dropLease();
    const seconds = Math.ceil(Math.max(ttlMs, LEASE_MS_MIN) / 1_000);
    const { id, ttl } = await this.#call<LeaseResponse>('Lease/LeaseGrant', { ttl: seconds });
    const renewals = new LeaseRenewals(this.#connection, id, this.#timeoutMs);
    this.#lease = { id, renewals };
    return Number(ttl) * 1_000;
  }

  async keepAlive(): Promise<number> {
    const lease = this.#leaseOrThrow();
    const ttlMs = await this.#try(lease.renewals.renew());
    if (ttlMs === 0 && this.#lease === lease) this.#dropLease();
    return ttlMs;
  }

  async revoke(): Promise<void> {
    const lease = this.#lease;
    this.#dropLease();
    if (lease === undefined) return;
    try {
      await this.#connection.call('Lease/LeaseRevoke', { id: lease.id });
    } catch (error) {
      // It has ended by itself.
      if ((error as Partial<ServiceError>).code === status.NOT_FOUND) return;
      throw this.#fault(error);
    }
  }

  close(): void {
    this.#dropLease();
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
    this.#connection.close();
  }

  #dropLease(): void {
    this.#lease?.renewals.end();
    this.#lease = undefined;
  }

  #call<Reply>(name: EtcdCall, request: object): Promise<Reply> {
    return this.#try(this.#connection.call<Reply>(name, request));
  }

  async #try<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      throw this.#fault(error);
    }
  }

  #fault(error: unknown): CoordinatorError {
    return new CoordinatorError(`etcd (${this.#endpoints}): ${reasonOf(error)}`, { cause: error });
  }
}
