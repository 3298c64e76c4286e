export { BlockPool } from './blocks.ts';
export { Connection } from './connection.ts';
export { addressText } from './ends.ts';
export { demandPlaces, Listener } from './listener.ts';
export type { ConnectionOwner, ConnectionConfig, Taking, TurnConnection } from './ports.ts';
export type { ReadBuffer } from './socket-transport.ts';
