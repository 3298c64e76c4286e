export { FailureLog } from './failure-log.ts';
export { HotKeysSession } from './hot-keys.ts';
export { removedKeys } from './key-fates-answer.ts';
export { LatencyMonitor } from './latency-monitor.ts';
export { MainLatency } from './main-latency.ts';
export { RecentRefusals, type RefusedUser } from './recent-refusals.ts';
export { runningScripts } from './running-scripts.ts';
export { collectScripts, scriptsDocument } from './script-reports.ts';
export { followTracing, mainLog, Traces } from './traces.ts';
