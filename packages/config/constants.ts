/**
 * Redis settings that clients, benchmarks and tests ask for at start, and that here cannot be other
 * than they are. CONFIG GET tells the truth; CONFIG SET accepts that value and no other.
 */
export interface Constant {
  readonly value: string;
  readonly aliases?: readonly string[];
  /** Shown only when asked for by its exact name. */
  readonly isHidden?: boolean;
}

/** By CONFIG's name. */
export const constants: Readonly<Record<string, Constant>> = {
  activerehashing: { value: 'yes' },
  'always-show-logo': { value: 'no' },
  'aof-use-rdb-preamble': { value: 'no' },
  daemonize: { value: 'no' },
  'dynamic-hz': { value: 'no' },
  'enable-module-command': { value: 'no' },
  'io-threads': { value: '1' },
  'key-load-delay': { value: '0', isHidden: true },
  'no-appendfsync-on-rewrite': { value: 'no' },
  'oom-score-adj': { value: 'no' },
  pidfile: { value: '' },
  'propagation-error-behavior': { value: 'ignore' },
  'rdb-key-save-delay': { value: '0', isHidden: true },
  replicaof: { value: '', aliases: ['slaveof'] },
  'shutdown-on-sigint': { value: 'default' },
  'shutdown-on-sigterm': { value: 'default' },
  supervised: { value: 'no' },
  'syslog-enabled': { value: 'no' },
  'tls-port': { value: '0' },
};
