/**
 * Settings of Redis that here cannot be other than they are. CONFIG GET tells the truth; CONFIG SET accepts
 * that value and no other.
 */
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
  'The memory of any value is given back in well under a millisecond, by DEL as by UNLINK.';
const incremental = 'Snapshots are synced while they are written, a few megabytes at a time.';
const processors = 'Threads are left to the scheduler.';
const service = 'The service manager does this: svc stays in the foreground.';

/** Constants by CONFIG's name. */
export const constants: Readonly<Record<string, Constant>> = {
  'active-defrag-cycle-max': {
    value: '9',
    reason: 'It takes half a millisecond of five and a half, while it gives memory back.',
  },
  'active-defrag-cycle-min': {
    value: '1',
    reason: 'It takes at most half a millisecond a round, while it gives nothing back.',
  },
  'active-defrag-ignore-bytes': { value: '1048576', reason: 'Less idle memory is let lie.' },
  'active-defrag-threshold-lower': { value: '15', reason: 'Less idle memory is let lie.' },
  'active-defrag-threshold-upper': { value: '15', reason: 'The effort is the same from there on.' },
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
    reason: 'The system chooses from where a link to a primary is made.',
  },
  bio_cpulist: { value: '', aliases: ['bio-cpulist'], reason: processors },
  'client-default-resp': { value: '2', isHidden: true, reason: 'A client chooses by HELLO.' },
  'cluster-ping-interval': {
    value: '1000',
    isHidden: true,
    reason: 'There is no cluster bus: nodes agree by a coordinator.',
  },
  'crash-log-enabled': { value: 'yes', reason: 'A crash leaves a report in the data folder.' },
  'crash-memcheck-enabled': {
    value: 'no',
    reason: 'A crash report is written, and nothing else is done.',
  },
  daemonize: { value: 'no', reason: service },
  'disable-thp': { value: 'no', reason: 'There is no fork, which huge pages would make slow.' },
  'dynamic-hz': {
    value: 'no',
    reason: 'Rounds are hz a second, and seldom while nothing is to be done.',
  },
  'enable-module-command': { value: 'no', reason: 'There are no modules.' },
  'enable-protected-configs': { value: 'no', reason: 'dir and dbfilename are read at the start.' },
  'hide-user-data-from-log': { value: 'yes', reason: 'Crash reports have no values.' },
  'ignore-warnings': { value: '', reason: 'No warning stops a start.' },
  'jemalloc-bg-thread': { value: 'no', reason: 'Memory is not of jemalloc.' },
  'key-load-delay': { value: '0', isHidden: true, reason: 'Loading is not slowed down.' },
  'lazyfree-lazy-eviction': { value: 'yes', reason: freed },
  'lazyfree-lazy-expire': { value: 'yes', reason: freed },
  'lazyfree-lazy-server-del': { value: 'yes', reason: freed },
  'lazyfree-lazy-user-del': { value: 'yes', reason: freed },
  'lazyfree-lazy-user-flush': { value: 'yes', reason: freed },
  'loading-process-events-interval-bytes': {
    value: '2097152',
    isHidden: true,
    reason: 'Clients are answered while data are loaded.',
  },
  'locale-collate': { value: 'C', reason: 'SORT ALPHA compares bytes.' },
  'no-appendfsync-on-rewrite': { value: 'no', reason: 'Snapshots do not hold syncs up.' },
  'oom-score-adj': { value: 'no', reason: service },
  'oom-score-adj-values': { value: '0 0 0', reason: 'The score of the process is not changed.' },
  pidfile: { value: '', reason: service },
  'proc-title-template': { value: '', reason: 'The title of the process is not changed.' },
  'propagation-error-behavior': {
    value: 'ignore',
    reason: 'Commands of a primary that a replica cannot run are told in the log, and counted.',
  },
  'rdb-save-incremental-fsync': { value: 'yes', reason: incremental },
  rdbchecksum: { value: 'yes', reason: 'Every block on disk has a checksum.' },
  'repl-diskless-load': {
    value: 'swapdb',
    reason: 'Data of a primary are built beside those that are there, and then take their place.',
  },
  'repl-disable-tcp-nodelay': {
    value: 'no',
    reason: 'Nothing that is written waits for more to send.',
  },
  'replica-ignore-disk-write-errors': {
    value: 'yes',
    reason: 'A replica goes on when its log fails, and says so.',
  },
  'replica-lazy-flush': { value: 'yes', aliases: ['slave-lazy-flush'], reason: freed },
  'sanitize-dump-payload': { value: 'yes', reason: 'RESTORE checks all it is given.' },
  server_cpulist: { value: '', aliases: ['server-cpulist'], reason: processors },
  'set-proc-title': { value: 'no', reason: 'The title of the process is not changed.' },
  'shutdown-on-sigint': { value: 'default', reason: 'As SHUTDOWN without a word.' },
  'shutdown-on-sigterm': { value: 'default', reason: 'As SHUTDOWN without a word.' },
  'socket-mark-id': { value: '0', reason: 'Sockets are not marked.' },
  supervised: { value: 'no', reason: service },
  'syslog-enabled': { value: 'no', reason: 'The log goes to stdout, stderr and files.' },
  'tls-cluster': {
    value: 'no',
    reason: 'Nodes have no bus of their own; tls.replication secures what they send each other.',
    isReliedOn: true,
  },
  'use-exit-on-panic': {
    value: 'no',
    isHidden: true,
    reason: 'A crash ends the process by abort.',
  },
  'watchdog-period': {
    value: '0',
    isHidden: true,
    reason: 'STATUS JSON shows threads that are stuck.',
  },
};

/** The constant of that name or alias. */
export function constantNamed(name: string): Constant | undefined {
  const found = Object.entries(constants).find(
    ([own, { aliases }]) => own === name || aliases?.includes(name) === true,
  );
  return found?.[1];
}
