/** Client messaging as a module of main. */

import { type Composed, MainModule } from '#main';
import { ClientMessaging, type ClientMessagingOptions } from './client-messaging.ts';

export function messagingModule(
  options: ClientMessagingOptions,
): Composed<{ readonly messaging: ClientMessaging }, 'pubsub' | 'tracks' | 'monitors'> {
  const messaging = new ClientMessaging(options);
  const { pubsub, tracking, monitors } = messaging;
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
  });
  return { module, parts: { messaging } };
}
