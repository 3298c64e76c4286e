export { History, type HistorySettings } from './history.ts';
export type { Judgement } from './samples/sampler.ts';
export { STEPS_MAX, VALUES_MAX, type WantedColumn } from './query.ts';
