/** Response of a probe. */

export interface ProbeDocument {
  readonly status: 'ok' | 'not_ready' | 'shutting_down';
  /** Problem; left out if there is none. */
  readonly message?: string;
}
