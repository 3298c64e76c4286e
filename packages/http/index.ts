export type { RemovedKeysAnswer, RemovedKeysQuestion } from './ops/page-calls.ts';
export type {
  ActionAnswer,
  MonitorStart,
  MonitorStartAnswer,
  SettingCheckAnswer,
} from './ops/page-calls.ts';
export { OpsThread, type OpsData, type OpsMessage, type OpsNotice } from './ops/ops-thread.ts';
export type { MainAnswers, PageAnswers } from './ops/main-client.ts';
export type { HttpFixedSettings, HttpLiveSettings } from './views/settings.ts';
