/** Ports about the server as a whole, as a module of main: its commands, statistics, bundles, MIGRATE. */

import { type Clock, type Logger, LongTimer } from '#base';
import { commandTable, reportSecrecy } from '#commands';
import { secrecyOfNames, type Settings } from '#config';
import { type Composed, type HandlerContext, MainModule, type OpsLink } from '#main';
import type { Router } from '#router';
import type { Page } from '#stats';
import { Migrations } from '../migration/migrations.ts';
import { bundlesPort } from './bundles-port.ts';
import { statisticsPort, type StatisticsOptions } from './statistics-port.ts';

interface ServerModuleOptions extends StatisticsOptions {
  readonly settings: Settings;
  readonly router: Router;
  readonly ops: OpsLink;
  readonly clock: Clock;
  readonly log: Logger;
  readonly page: Page;
  /** Undefined where the server is in no cluster. */
  readonly cluster: object | undefined;
  readonly modules: { readonly handlers: Pick<HandlerContext, 'client'> };
}

type ServerPort =
  | 'commands'
  | 'redisVersion'
  | 'startedMs'
  | 'statistics'
  | 'bundles'
  | 'migrations'
  | 'timers'
  | 'log';

export function serverModule(options: ServerModuleOptions): Composed<object, ServerPort> {
  const { settings, router, ops, clock, log, page, cluster, modules } = options;
  reportSecrecy(secrecyOfNames);
  const module = new MainModule({
    name: 'server',
    ports: {
      commands: commandTable,
      redisVersion: settings.string('server.reported-redis-version'),
      startedMs: clock.wallMs(),
      statistics: statisticsPort(options),
      bundles: bundlesPort(ops),
      migrations: new Migrations({
        router,
        cluster,
        client: () => modules.handlers.client,
        isReplica: () => page.get('isReplica') === 1,
      }),
      timers: {
        after: (ms, callback) => {
          new LongTimer(ms, callback);
        },
      },
      log: {
        warning: (message) => {
          log.warn('debug-log', message);
        },
      },
    },
  });
  return { module, parts: {} };
}
