/** The part of a node that concerns its data: it follows a primary, leads, and hands its place over. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '#config';
import type { Router } from '#router';
import type { ClusterHost, DataPlace } from './agreement/cluster-node.ts';
import type { MemberAddress } from './agreement/documents/documents.ts';
import { type Primary, type Replication, untilDrained } from '#replication';
import type { Clients } from '#clients';

/** Time limit of a handover in milliseconds, during which writes are suspended and the replica catches up. */
const HANDOVER_MS_MAX = 5_000;
/** Time limit of a forced handover in milliseconds: it finishes commands in flight, and waits for no replica. */
const FORCED_MS_MAX = 500;
const LOOK_MS = 5;

interface ClusterRoleOptions {
  readonly settings: Settings;
  readonly replication: Replication;
  readonly primary: Primary;
  readonly clients: Pick<Clients, 'pause' | 'unpause'>;
  readonly router: Pick<Router, 'shardCalls' | 'isBusy'>;
  readonly nowMs: () => number;
  readonly changed: () => void;
}

export class ClusterRole implements ClusterHost {
  readonly #options: ClusterRoleOptions;
  /** True if it has followed another node: without slots its keys are invalid. */
  hasFollowed = false;
  /** Node that is followed. */
  #followed = '';
  /** Number of streams started before this primary was followed at the same address: they do not count for it. */
  #streamsBefore = 0;

  constructor(options: ClusterRoleOptions) {
    this.#options = options;
  }

  placeOf(primary: string): DataPlace {
    const { replication } = this.#options;
    const { replica, id: streamId, offset } = replication;
    if (replica === undefined) return { streamId, offset };
    const isSynced = replica.streamsBegun > this.#streamsBefore;
    const isReported = primary === '' || (this.#followed === primary && isSynced);
    return { streamId, offset: isReported && replica.position !== undefined ? offset : -1 };
  }

  follow(primary: string, { host, port, tlsPort }: MemberAddress): void {
    const { settings, replication } = this.#options;
    const isSecure = settings.boolean('tls.replication') && tlsPort > 0;
    const isNew = replication.replicaOf(host, isSecure ? tlsPort : port);
    if (isNew) this.#streamsBefore = 0;
    else if (this.#followed !== primary) {
      this.#streamsBefore = replication.replica?.streamsBegun ?? 0;
    }
    this.#followed = primary;
    this.hasFollowed = true;
  }

  lead(): void {
    this.#followed = '';
    this.#options.replication.lead();
  }

  async prepareHandover(target: string, isForced: boolean): Promise<boolean> {
    const { clients, primary, nowMs } = this.#options;
    const untilMs = nowMs() + (isForced ? FORCED_MS_MAX : HANDOVER_MS_MAX);
    const hasTime = (): boolean => nowMs() < untilMs;
    clients.pause('write', Infinity, 'failover');
    primary.holdsPings = true;
    const isQuiet = await untilDrained(this.#options, hasTime);
    if (!isQuiet || isForced) return isForced;
    primary.acks.ask();
    while (hasTime()) {
      const replica = primary.replicas.find(
        (one) => one.state === 'online' && one.announced.nodeId === target,
      );
      if (replica?.ack.offset === primary.offset) return true;
      await sleep(LOOK_MS);
    }
    return false;
  }

  endHandover(): void {
    const { clients, primary } = this.#options;
    primary.holdsPings = false;
    clients.unpause('failover');
  }

  changed(): void {
    this.#options.changed();
  }
}
