import { Probe } from './probe.ts';

export { hasProbes } from './probe.ts';
export { PROBES } from './table.ts';

export const commandStart = new Probe('command__start');
export const commandDone = new Probe('command__done');
export const messageSent = new Probe('shard__message__sent');
export const messageReceived = new Probe('shard__message__received');
export const keyExpired = new Probe('key__expired');
export const keyEvicted = new Probe('key__evicted');
export const memoryPressure = new Probe('memory__pressure');
export const walWrite = new Probe('wal__write');
export const scatterStart = new Probe('scatter__start');
export const scatterDone = new Probe('scatter__done');
export const pubsubPublish = new Probe('pubsub__publish');
export const connectionAccept = new Probe('connection__accept');
export const warmSpill = new Probe('warm__spill');
export const warmFetch = new Probe('warm__fetch');
