import type { Command } from '../definition/definition.ts';
import { inspectCommands } from './inspect.ts';
import { publishCommands } from './publish.ts';
import { subscribeCommands } from './subscribe.ts';

export const pubSubCommands: readonly Command[] = [
  ...subscribeCommands,
  ...publishCommands,
  ...inspectCommands,
];

export type { Piece, PubSubContext, PubSubPort } from './ports.ts';
export { Subscriptions, type SubscriptionKind } from '../contexts/subscriptions.ts';
