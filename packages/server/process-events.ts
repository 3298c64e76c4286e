/** Events of the process that a server follows from its start on. */

import type { ClientListeners } from '#clients';
import type { OpsLink } from '#main';
import type { Crashes } from './composition/crashes.ts';
import type { ServiceNotices } from './service/service-notices.ts';

interface Followers {
  readonly crashes: Pick<Crashes, 'mainDied'>;
  readonly ops: Pick<OpsLink, 'reopenLog'>;
  readonly listeners: Pick<ClientListeners, 'readAgain'>;
  readonly service: Pick<ServiceNotices, 'reloading' | 'ready'>;
}

export function followProcess({ crashes, ops, listeners, service }: Followers): void {
  // Unhandled rejections come here as well.
  process.on('uncaughtException', (error) => {
    crashes.mainDied(error);
  });
  // The old file of the log was moved away, or there are new files of TLS.
  process.on('SIGHUP', () => {
    service.reloading();
    ops.reopenLog();
    void listeners.readAgain().finally(() => {
      service.ready();
    });
  });
}
