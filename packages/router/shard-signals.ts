/** Dispatches frames of shards that are not replies. */

import type { ShardDenial } from '#acl';
import type { Bytes } from '#base';
import { decodeMessage, type ShardRedirect } from '#link';
import { LATENCY_EVENTS } from '#stats';
import type { BlockedClients } from './blocked/blocked-clients.ts';
import type { Client } from './clients/client.ts';
import type { ClientRegistry } from './clients/client-registry.ts';
import type { KeyMigrations } from './migration/key-migrations.ts';
import type { MainNotes } from './replies/command-stats.ts';
import type { KeyDiscovery } from './routes/key-discovery.ts';
import type { ShardSignals } from './replies/replies.ts';
import type { Scripts } from './scripts/scripts.ts';
import type { ShardCalls } from './shards/shard-calls.ts';
import type { Tracing } from './tracing.ts';
import type { Transactions } from './transactions/transactions.ts';

/** Takers of signals. */
interface SignalTakers {
  readonly notes: MainNotes;
  readonly transactions: Transactions;
  readonly scripts: Scripts;
  readonly blockedClients: BlockedClients;
  readonly keyDiscovery: KeyDiscovery;
  readonly tracing: Tracing;
  readonly shardCalls: ShardCalls;
  readonly keyMigrations: KeyMigrations;
  readonly clientRegistry: Pick<ClientRegistry, 'inSlot'>;
  readonly denied: (client: Client, denial: ShardDenial) => void;
  readonly redirected?: RedirectTaker;
}

/** Counts MOVED and ASK replies sent by a shard. */
export type RedirectTaker = (kind: ShardRedirect['kind'], client: Client) => void;

export function shardSignals(takers: SignalTakers): ShardSignals {
  const { notes, tracing, transactions, scripts, blockedClients, keyDiscovery } = takers;
  return {
    stopped: (client, watchBroken) => {
      transactions.stopped(client, watchBroken);
    },
    prepared: (client) => {
      if (scripts.owns(client)) scripts.prepared();
      else transactions.prepared(client);
    },
    valuesGiven: (shard, transaction, piece) => {
      takers.keyMigrations.given(shard, transaction, piece);
    },
    keysFound: (shard, transaction, body) => {
      takers.keyMigrations.found(shard, transaction, body);
    },
    keysMoved: (transaction, isSafe) => {
      takers.keyMigrations.moved(transaction, isSafe);
    },
    asked: (shard, what, body) => {
      scripts.requested(shard, what, body);
    },
    denied: (body) => {
      const denial = decodeMessage(body) as ShardDenial;
      const client = takers.clientRegistry.inSlot(denial.connection);
      if (client !== undefined) takers.denied(client, denial);
    },
    redirected: (body) => {
      reportRedirect(takers, body);
    },
    offered: (client, sequence, answer) => {
      blockedClients.offered(client, sequence, answer);
    },
    parked: (client, sequence, timeoutMs) => {
      blockedClients.parked(client, sequence, timeoutMs);
    },
    unparked: (client, sequence) => {
      blockedClients.unparked(client, sequence);
    },
    itemsCame: (client, sequence, body) => {
      blockedClients.itemsCame(client, sequence, body);
    },
    named: (client, sequence, names) => {
      keyDiscovery.named(client, sequence, names);
    },
    woken: (client, sequence, shard) => {
      blockedClients.woken(client, sequence, shard);
    },
    tookLong: (shard, event, us, unixMs) => {
      notes.latency.record(LATENCY_EVENTS[event]!, us, unixMs, shard);
    },
    traced: (shard, at, length) => {
      tracing.shardDid(shard, at, length);
    },
    reported: (shard, number, body) => {
      takers.shardCalls.answered(shard, number, body);
    },
  };
}

function reportRedirect({ clientRegistry, redirected }: SignalTakers, body: Bytes): void {
  const { connection, kind } = decodeMessage(body) as ShardRedirect;
  const client = clientRegistry.inSlot(connection);
  if (client !== undefined) redirected?.(kind, client);
}
