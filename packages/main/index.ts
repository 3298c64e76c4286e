export { mapInTurns } from './documents/in-turns.ts';
export { beginningAsText, keyAsText } from './documents/json-text.ts';
export { type Composed, Composition } from './kernel/composition.ts';
export type { HandlerContext } from './kernel/handler-context.ts';
export { type InfoSection, type Judges, MainModule } from './kernel/main-module.ts';
export { Modules } from './kernel/modules.ts';
export { Progress, StartJudge } from './kernel/progress.ts';
export { announcedPlace } from './settings/announced-place.ts';
export {
  type TwoPhaseSetting,
  TwoPhaseSettings,
  type Pairs,
  type SettingChanges,
} from './settings/two-phase-settings.ts';
export { nodeAddress, readdressOnChange } from './settings/node-address.ts';
export { traceSettings } from './settings/ops-settings.ts';
export { refusesUnsaved, type SavePoint, savePoints } from './settings/save-points.ts';
export { SettingLog } from './settings/setting-changes.ts';
export { SettingsBroadcast, shardCountOf, shardSettings } from './settings/shard-settings.ts';
export { statusSettings } from './settings/status-settings.ts';
export { DiskLink, type DiskPorts, diskSettings } from './threads/disk-link.ts';
export { FrontPool } from './threads/front-pool.ts';
export { testAtStart, testLatency } from './threads/latency-baseline.ts';
export { OpsLink } from './threads/ops-link.ts';
export { earlyOpsWorker, type OpsWorker } from './threads/ops-worker.ts';
export { redistributeApart } from './threads/redistribution.ts';
export { runTask } from './threads/run-task.ts';
export { ShardPool } from './threads/shard-pool.ts';
export { ServerMemory } from './threads/shared-memory.ts';
export { ThreadProfiles } from './threads/thread-profiles.ts';
export { Turn } from './threads/turn.ts';
export { localTierOf, takeTierFolder } from './tier/tier-folder.ts';
export { TierPool } from './tier/tier-pool.ts';
