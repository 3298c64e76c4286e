/** Runbooks: what a health code or an alert means, where to look and what to do. */

/** Texts are sentences; words in backticks are commands, settings and paths. */
export interface Runbook {
  /** The health code, or the alert if no code belongs to it. */
  readonly name: string;
  readonly meaning: string;
  /** Places to look at, the first place first. */
  readonly look: readonly string[];
  /** Things to do, the gentlest first. */
  readonly act: readonly string[];
  /** Alerts of `configs/observability/rules.yml` that lead here. */
  readonly alerts: readonly string[];
}
