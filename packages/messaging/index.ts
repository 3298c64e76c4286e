export type { ClientMessaging } from './client-messaging.ts';
export { messagingModule } from './messaging-module.ts';
export type { PubSub } from './pubsub.ts';
