/** Something allowed that is probably not meant. */
export interface ConfigWarning {
  /** A stable code for logs. */
  readonly event: string;
  /** Harm that the setting can do. */
  readonly severity: 'info' | 'warn' | 'error';
  readonly message: string;
}
