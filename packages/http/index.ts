export type { KeyDeathReport, KeyDeathsAnswer, KeyDeathsQuestion } from './key-fates-document.ts';
export type { ActionAnswer, HotKeysDocument, HotWindowDocument } from './page-reports.ts';
export { OpsThread, type OpsData, type OpsMessage, type OpsNotice } from './ops-thread.ts';
export type {
  ClientReport,
  LatencyEventReport,
  MainAnswers,
  MainReportName,
  SlowlogReport,
} from './reports.ts';
export type { HttpFixedSettings, HttpLiveSettings, SettingReport } from './settings.ts';
