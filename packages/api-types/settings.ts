/** The settings in force. */

/** Properties of a setting that do not change. */
export interface SettingFacts {
  readonly name: string;
  /** Name that CONFIG knows it by. */
  readonly config_name: string;
  readonly section: string;
  /** Allowed values in words, which end a sentence. */
  readonly allowed: string;
  readonly unit: string | null;
  readonly default: string;
}

export interface SettingsFactsDocument {
  readonly defaults: Readonly<Record<string, string>>;
  readonly settings: readonly SettingFacts[];
}

/** Outcome of a change of a setting that was not made. */
export interface SettingCheck {
  readonly name: string;
  /** Value now, and after the change; secrets are hidden. */
  readonly before: string;
  readonly after: string;
  readonly changed: boolean;
}

export interface SettingReport {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly mutable: boolean;
  readonly description: string;
}

export interface SettingsDocument {
  readonly entries: readonly SettingReport[];
}
