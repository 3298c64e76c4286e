/** The settings in force. */

export interface SettingReport {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly mutable: boolean;
  readonly description: string;
}
