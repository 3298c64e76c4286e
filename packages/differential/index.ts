export { expiresSoon } from './brief.ts';
export type { Contest } from './contest.ts';
export { makeEpisode, playFamily, startContest } from './differential.ts';
export { families } from './families/index.ts';
export { groups } from './groups.ts';
export type { Words } from './family.ts';
