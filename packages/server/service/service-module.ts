/** Module of main that reports to the service manager: its signs of life come from main's own ticks. */

import { type Composed, MainModule } from '#main';
import type { ServiceNotices } from './service-notices.ts';

export function serviceModule({
  service,
}: {
  readonly service: ServiceNotices;
}): Composed<{ readonly service: ServiceNotices }> {
  const module = new MainModule({
    name: 'service',
    hooks: {
      tick: () => {
        service.tick();
      },
      awaitsTick: () => service.needsEveryTick,
      stopping: () => {
        service.stopping();
      },
    },
  });
  return { module, parts: { service } };
}
