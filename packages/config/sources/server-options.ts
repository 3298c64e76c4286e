/** Options of the server itself: one table for reading them, `--help`, completion and the manual page. */

import type { SettingName } from '../settings.ts';

/** An option of the server or of a subcommand. */
export interface OptionRow {
  /** Name without its dashes. */
  readonly name: string;
  /** Placeholder of its value; absent for an option without one. */
  readonly value?: string;
  readonly help: string;
  /** Value if it is not given; empty by default. */
  readonly default?: string;
  /** Variable of the environment that has the value if it is not given. */
  readonly variable?: string;
  /** True if it may be given several times. */
  readonly isList?: true;
}

/** An option of the server, which may stand for a setting. */
interface ServerOption extends OptionRow {
  /** Setting that it sets, to its value or to yes. */
  readonly setting?: SettingName;
  /** True if it may be written as a first word without dashes, as in `svc-server check-data`. */
  readonly isWord?: true;
}

/** In the order of `--help`. */
export const serverOptions: readonly ServerOption[] = [
  { name: 'config', value: 'FILE', help: 'configuration file; else ./svc.toml, if there is one' },
  { name: 'set', value: 'SECTION.KEY=VALUE', help: 'sets any setting; may be repeated' },
  { name: 'port', value: 'N', help: 'port for clients', setting: 'server.port' },
  {
    name: 'bind',
    value: 'ADDRESS',
    help: 'address to listen on for clients',
    setting: 'server.bind',
  },
  {
    name: 'unix-socket',
    value: 'PATH',
    help: 'additional unix socket to listen on',
    setting: 'server.unix-socket',
  },
  {
    name: 'shards',
    value: 'N',
    help: 'threads that hold the data; 0 is the number of processors minus one',
    setting: 'server.shards',
  },
  {
    name: 'http-port',
    value: 'N',
    help: 'port to listen on for HTTP',
    setting: 'http.port',
  },
  {
    name: 'maxmemory',
    value: 'SIZE',
    help: 'memory limit of the data, such as 512mb',
    setting: 'memory.maxmemory',
  },
  {
    name: 'requirepass',
    value: 'PASSWORD',
    help: 'password of the default user',
    setting: 'security.requirepass',
  },
  {
    name: 'data-dir',
    value: 'FOLDER',
    help: 'data folder: everything that the server writes',
    setting: 'persistence.data-dir',
  },
  {
    name: 'recover-anyway',
    help: 'starts with the readable part of damaged data',
    setting: 'persistence.recover-anyway',
  },
  { name: 'check-data', help: 'verifies all data without changing it, and exits', isWord: true },
  {
    name: 'import-rdb',
    value: 'FILE',
    help: 'imports an RDB file into a data folder without data, and starts',
    isWord: true,
  },
  {
    name: 'skip-damaged',
    help: 'with --import-rdb: imports the readable part of a damaged file',
  },
  {
    name: 'export-rdb',
    value: 'FILE',
    help: 'writes the data as an RDB file, and exits',
    isWord: true,
  },
  {
    name: 'log-level',
    value: 'LEVEL',
    help: 'trace, debug, info, warn or error, or a level of Redis',
    setting: 'logging.level',
  },
  { name: 'print-config', help: 'prints the effective configuration, and exits', isWord: true },
  { name: 'check-config', help: 'validates the configuration, and exits', isWord: true },
  {
    name: 'intrinsic-latency',
    value: 'N',
    help: 'measures the latency of the machine for N seconds, and exits',
    isWord: true,
  },
  {
    name: 'startup-latency-check',
    help: 'measures the latency of the machine before accepting connections',
    setting: 'latency.startup-test',
  },
  { name: 'version', help: 'prints the version and facts of the build, and exits', isWord: true },
  { name: 'help', help: 'prints this help, and exits', isWord: true },
];
