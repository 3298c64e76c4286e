export { FailureLog } from './failure-log.ts';
export { hotKeysModule } from './hot-keys/hot-keys-module.ts';
export { latencyModule } from './latency-module.ts';
export { MainLatency } from './main-latency.ts';
export { RecentRefusals, type RefusedUser } from './recent-refusals.ts';
export { runningScripts } from './running-scripts.ts';
export { collectScripts, scriptsDocument } from './script-reports.ts';
export { mainLog } from './traces.ts';
export { tracesModule } from './traces-module.ts';
