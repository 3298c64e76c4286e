/** Settings of Redis with a fixed value here. CONFIG GET returns it; CONFIG SET accepts only this value. */
interface Constant {
  readonly value: string;
  /** Reason for the value, for users who set it. */
  readonly reason: string;
  readonly aliases?: readonly string[];
  /** True when a file that sets another value relies on it: a start is refused. */
  readonly isReliedOn?: boolean;
  /** Shown only when asked for by its exact name. */
  readonly isHidden?: boolean;
}

const freed =
  'The memory of any value is freed in well under a millisecond, by DEL as well as by UNLINK.';
const incremental = 'Snapshots are synced while they are written, a few megabytes at a time.';
const processors = 'Threads are placed by the scheduler.';
const service = 'The service manager does this: svc stays in the foreground.';

/** Constants by CONFIG's name. */
export const constants: Readonly<Record<string, Constant>> = {
  'active-defrag-cycle-max': {
    value: '9',
    reason: 'It takes half a millisecond of five and a half while it frees memory.',
  },
  'active-defrag-cycle-min': {
    value: '1',
    reason: 'It takes at most half a millisecond a round while it frees nothing.',
  },
  'active-defrag-ignore-bytes': { value: '1048576', reason: 'Less fragmentation is ignored.' },
  'active-defrag-threshold-lower': { value: '15', reason: 'Less fragmentation is ignored.' },
  'active-defrag-threshold-upper': {
    value: '15',
    reason: 'The effort does not increase beyond that.',
  },
  activerehashing: { value: 'yes', reason: 'The index grows a piece at a time.' },
  'always-show-logo': { value: 'no', reason: 'There is no logo.' },
  'aof-disable-auto-gc': {
    value: 'no',
    isHidden: true,
    reason: 'Segments of the log that a snapshot has replaced are deleted.',
  },
  'aof-load-truncated': { value: 'yes', reason: 'The log may end anywhere, as after a crash.' },
  'aof-rewrite-incremental-fsync': { value: 'yes', reason: incremental },
  'aof-timestamp-enabled': { value: 'no', reason: 'The log has its own format.' },
  'aof-use-rdb-preamble': { value: 'no', reason: 'The log has its own format.' },
  appenddirname: { value: 'log', reason: 'The log is the folder log of the data folder.' },
  aof_rewrite_cpulist: { value: '', aliases: ['aof-rewrite-cpulist'], reason: processors },
  bgsave_cpulist: { value: '', aliases: ['bgsave-cpulist'], reason: processors },
  'bind-source-addr': {
    value: '',
    reason: 'The operating system chooses the source address of a link to a primary.',
  },
  bio_cpulist: { value: '', aliases: ['bio-cpulist'], reason: processors },
  'client-default-resp': { value: '2', isHidden: true, reason: 'Clients choose it with HELLO.' },
  'cluster-ping-interval': {
    value: '1000',
    isHidden: true,
    reason: 'There is no cluster bus: nodes agree through a coordinator.',
  },
  'crash-log-enabled': { value: 'yes', reason: 'A crash leaves a report in the data folder.' },
  'crash-memcheck-enabled': {
    value: 'no',
    reason: 'A crash writes a report and runs no memory test.',
  },
  daemonize: { value: 'no', reason: service },
  'disable-thp': { value: 'no', reason: 'There is no fork, which huge pages would make slow.' },
  'dynamic-hz': {
    value: 'no',
    reason: 'There are hz rounds a second, and fewer while the server is idle.',
  },
  'enable-module-command': { value: 'no', reason: 'There are no modules.' },
  'enable-protected-configs': { value: 'no', reason: 'dir and dbfilename are read at the start.' },
  'ignore-warnings': { value: '', reason: 'No warning stops a start.' },
  'jemalloc-bg-thread': { value: 'no', reason: 'The server does not use jemalloc.' },
  'key-load-delay': { value: '0', isHidden: true, reason: 'Loading cannot be slowed down.' },
  'lazyfree-lazy-eviction': { value: 'yes', reason: freed },
  'lazyfree-lazy-expire': { value: 'yes', reason: freed },
  'lazyfree-lazy-server-del': { value: 'yes', reason: freed },
  'lazyfree-lazy-user-del': { value: 'yes', reason: freed },
  'lazyfree-lazy-user-flush': { value: 'yes', reason: freed },
  'loading-process-events-interval-bytes': {
    value: '2097152',
    isHidden: true,
    reason: 'Clients are served while data is loaded.',
  },
  'locale-collate': { value: 'C', reason: 'SORT ALPHA compares bytes.' },
  'no-appendfsync-on-rewrite': { value: 'no', reason: 'Snapshots do not delay fsyncs.' },
  'oom-score-adj': { value: 'no', reason: service },
  'oom-score-adj-values': { value: '0 0 0', reason: 'The score of the process is not changed.' },
  pidfile: { value: '', reason: service },
  'proc-title-template': { value: '', reason: 'The title of the process is not changed.' },
  'propagation-error-behavior': {
    value: 'ignore',
    reason: 'Commands of a primary that a replica cannot execute are logged and counted.',
  },
  'rdb-save-incremental-fsync': { value: 'yes', reason: incremental },
  rdbchecksum: { value: 'yes', reason: 'Every block on disk has a checksum.' },
  'repl-diskless-load': {
    value: 'swapdb',
    reason: 'Data of a primary is loaded beside the existing data and then replaces it.',
  },
  'repl-disable-tcp-nodelay': {
    value: 'no',
    reason: 'Output is sent without waiting for more.',
  },
  'replica-ignore-disk-write-errors': {
    value: 'yes',
    reason: 'A replica whose log fails continues and logs an error.',
  },
  'replica-lazy-flush': { value: 'yes', aliases: ['slave-lazy-flush'], reason: freed },
  'sanitize-dump-payload': {
    value: 'yes',
    reason: 'RESTORE always checks its payload completely.',
  },
  server_cpulist: { value: '', aliases: ['server-cpulist'], reason: processors },
  'set-proc-title': { value: 'no', reason: 'The title of the process is not changed.' },
  'shutdown-on-sigint': { value: 'default', reason: 'As SHUTDOWN without a word.' },
  'shutdown-on-sigterm': { value: 'default', reason: 'As SHUTDOWN without a word.' },
  'socket-mark-id': { value: '0', reason: 'Sockets get no mark.' },
  supervised: { value: 'no', reason: service },
  'syslog-enabled': { value: 'no', reason: 'The log goes to stdout, stderr and files.' },
  'tls-cluster': {
    value: 'no',
    reason: 'There is no cluster bus; tls.replication secures the links between nodes.',
    isReliedOn: true,
  },
  'use-exit-on-panic': {
    value: 'no',
    isHidden: true,
    reason: 'A crash aborts the process.',
  },
  'watchdog-period': {
    value: '0',
    isHidden: true,
    reason: 'STATUS JSON reports stuck threads.',
  },
};

/** The constant of that name or alias. */
export function constantNamed(name: string): Constant | undefined {
  const found = Object.entries(constants).find(
    ([own, { aliases }]) => own === name || aliases?.includes(name) === true,
  );
  return found?.[1];
}
