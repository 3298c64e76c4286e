export { Primary, type AckWaiter, type PrimarySettings } from './primary/primary.ts';
export type { Replica } from './primary/replica.ts';
