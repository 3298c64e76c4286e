export type { KeyDeathsAnswer, KeyDeathsQuestion } from './key-deaths.ts';
export type { ActionAnswer } from './page-reports.ts';
export { OpsThread, type OpsData, type OpsMessage, type OpsNotice } from './ops-thread.ts';
export type { MainAnswers } from './reports.ts';
export type { HttpFixedSettings, HttpLiveSettings } from './settings.ts';
