/** Client messaging as a module of main. */

import { type Composed, MainModule } from '#main';
import { ClientMessaging, type ClientMessagingOptions } from './client-messaging.ts';

export function messagingModule(
  options: ClientMessagingOptions,
): Composed<
  { readonly messaging: ClientMessaging },
  'pubsub' | 'tracks' | 'monitors',
  'monitor-start' | 'monitor-lines' | 'monitor-stop'
> {
  const messaging = new ClientMessaging(options);
  const { pubsub, tracking, monitors, pageMonitors } = messaging;
  const endTurn = (): void => {
    messaging.endTurn();
  };
  const module = new MainModule({
    name: 'messaging',
    hooks: {
      keyEvents: (body) => {
        messaging.keyEvents.take(body);
      },
      endTurn,
      tick: endTurn,
      left: (client) => {
        messaging.left(client);
      },
    },
    ports: { pubsub, tracks: tracking, monitors },
    answers: {
      'monitor-start': (question) => pageMonitors.start(question),
      'monitor-lines': (question) => pageMonitors.lines(question),
      'monitor-stop': (question) => pageMonitors.stop(question),
    },
  });
  return { module, parts: { messaging } };
}
