/** Module of main for the shutdown: SHUTDOWN, and requests over HTTP. */

import { errors } from '#base';
import type { ProcessPort } from '#commands';
import type { MainAnswers } from '#http';
import { pause } from '#link';
import { type Composed, type HandlerContext, MainModule } from '#main';
import { Shutdown, type ShutdownParts } from './shutdown.ts';

interface ShutdownModuleOptions extends ShutdownParts {
  readonly modules: ShutdownParts['modules'] & {
    readonly handlers: Pick<HandlerContext, 'client'>;
  };
}

export function shutdownModule(
  options: ShutdownModuleOptions,
): Composed<{ readonly shutdown: Shutdown }, 'process', 'shutdown'> {
  const shutdown = new Shutdown(options);
  const module = new MainModule({
    name: 'shutdown',
    hooks: {
      left: (client) => {
        shutdown.left(client);
      },
    },
    ports: { process: processPort(shutdown, options) },
    answers: { shutdown: shutdownAnswer(shutdown, options) },
  });
  return { module, parts: { shutdown } };
}

function processPort(
  shutdown: Shutdown,
  { persistence, log, router, modules }: ShutdownModuleOptions,
): ProcessPort {
  return {
    shutdown: (options, aborted) => {
      if (options.save === 'always' && !options.force && persistence.durability === undefined) {
        log.error('cannot-save', 'SHUTDOWN SAVE: persistence.enabled is off');
        throw errors.shutdownFailed;
      }
      const { busy } = router.scripts;
      if (options.save !== 'never' && busy.isAny) throw busy.refusal;
      shutdown.ask(options, modules.handlers.client, aborted);
    },
    abortShutdown: () => shutdown.abort(),
    freeze: pause,
  };
}

function shutdownAnswer(
  shutdown: Shutdown,
  { persistence, log }: ShutdownModuleOptions,
): MainAnswers['shutdown'] {
  return ({ save }) => {
    if (save === 'always' && persistence.durability === undefined) return 'nothing-kept';
    log.info('shutdown-asked', 'Shutdown requested over HTTP');
    // Before the answer: who has it may ask the probes next. The ops thread, which passes it on, ends last.
    shutdown.begin({ save, now: false, force: false });
    return 'begun';
  };
}
