/** Module of main for commands about the current connection, its transaction and its replies. */

import { unixUs } from '#base';
import type { TransactionsPort } from '#commands';
import { SHARD_CONTENT } from '#stats';
import type { Access } from '#access';
import { type Composed, type HandlerContext, MainModule } from '#main';
import type { ClientMessaging } from '#messaging';
import type { Client, Router } from '#router';

interface SessionModuleOptions {
  readonly router: Router;
  readonly messaging: Pick<ClientMessaging, 'left'>;
  readonly access: Pick<Access, 'reset'>;
  readonly modules: { readonly handlers: Pick<HandlerContext, 'client' | 'reply'> };
}

type SessionPort = 'nowMs' | 'unixUs' | 'mayBlock' | 'defer' | 'transactions' | 'resetClient';

export function sessionModule(
  options: SessionModuleOptions,
): Composed<object, SessionPort, 'shards'> {
  const { router, modules } = options;
  const { handlers } = modules;
  const module = new MainModule({
    name: 'session',
    ports: {
      get nowMs() {
        return router.nowMs;
      },
      get unixUs() {
        return unixUs();
      },
      get mayBlock() {
        return !handlers.client.wait.isAtBarrier;
      },
      defer: (timedOut) => router.defer(handlers.client, timedOut),
      transactions: transactionsPort(router, () => handlers.client),
      resetClient: () => {
        resetClient(options);
      },
    },
    answers: {
      shards: async () => {
        const reports = await router.shardCalls.ask(SHARD_CONTENT, null);
        return reports.map((report) => (report.missing ? null : report.answer));
      },
    },
  });
  return { module, parts: {} };
}

function transactionsPort({ transactions }: Router, client: () => Client): TransactionsPort {
  return {
    get isOpen() {
      return client().transaction !== undefined;
    },
    begin: () => {
      transactions.begin(client());
    },
    discard: () => {
      transactions.discard(client());
    },
    unwatch: () => {
      transactions.unwatch(client());
    },
  };
}

function resetClient({ router, messaging, access, modules }: SessionModuleOptions): void {
  const { client, reply } = modules.handlers;
  router.transactions.discard(client);
  messaging.left(client);
  client.session.reset();
  access.reset(client);
  reply.protocol = 2;
}
