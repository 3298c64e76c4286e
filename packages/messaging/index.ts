export { ClientMessaging } from './client-messaging.ts';
export type { PubSub } from './pubsub.ts';
