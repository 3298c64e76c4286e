/**
 * Says for each of the 202 settings of Redis 7.4 what it is here: a setting, a constant, or unknown and why.
 */
import { constantNamed } from '../constants.ts';
import { targets } from '../config-names.ts';
import { rowOf, type SettingName } from '../settings.ts';

/** As CONFIG GET * of Redis 7.4.1 names them. */
export const redisNames: readonly string[] = `
acl-pubsub-default aclfile acllog-max-len active-defrag-cycle-max active-defrag-cycle-min
active-defrag-ignore-bytes active-defrag-max-scan-fields active-defrag-threshold-lower
active-defrag-threshold-upper active-expire-effort activedefrag activerehashing always-show-logo
aof-load-truncated aof-rewrite-cpulist aof-rewrite-incremental-fsync aof-timestamp-enabled
aof-use-rdb-preamble aof_rewrite_cpulist appenddirname appendfilename appendfsync appendonly
auto-aof-rewrite-min-size auto-aof-rewrite-percentage bgsave-cpulist bgsave_cpulist bind
bind-source-addr bio-cpulist bio_cpulist busy-reply-threshold client-output-buffer-limit
client-query-buffer-limit cluster-allow-pubsubshard-when-down cluster-allow-reads-when-down
cluster-allow-replica-migration cluster-announce-bus-port cluster-announce-hostname
cluster-announce-human-nodename cluster-announce-ip cluster-announce-port
cluster-announce-tls-port cluster-config-file cluster-enabled cluster-link-sendbuf-limit
cluster-migration-barrier cluster-node-timeout cluster-port cluster-preferred-endpoint-type
cluster-replica-no-failover cluster-replica-validity-factor cluster-require-full-coverage
cluster-slave-no-failover cluster-slave-validity-factor crash-log-enabled crash-memcheck-enabled
daemonize databases dbfilename dir disable-thp dynamic-hz enable-debug-command
enable-module-command enable-protected-configs hash-max-listpack-entries hash-max-listpack-value
hash-max-ziplist-entries hash-max-ziplist-value hide-user-data-from-log hll-sparse-max-bytes hz
ignore-warnings io-threads io-threads-do-reads jemalloc-bg-thread latency-monitor-threshold
latency-tracking latency-tracking-info-percentiles lazyfree-lazy-eviction lazyfree-lazy-expire
lazyfree-lazy-server-del lazyfree-lazy-user-del lazyfree-lazy-user-flush lfu-decay-time
lfu-log-factor list-compress-depth list-max-listpack-size list-max-ziplist-size locale-collate
logfile loglevel lua-time-limit masterauth masteruser max-new-connections-per-cycle
max-new-tls-connections-per-cycle maxclients maxmemory maxmemory-clients
maxmemory-eviction-tenacity maxmemory-policy maxmemory-samples min-replicas-max-lag
min-replicas-to-write min-slaves-max-lag min-slaves-to-write no-appendfsync-on-rewrite
notify-keyspace-events oom-score-adj oom-score-adj-values pidfile port proc-title-template
propagation-error-behavior protected-mode proto-max-bulk-len rdb-del-sync-files
rdb-save-incremental-fsync rdbchecksum rdbcompression repl-backlog-size repl-backlog-ttl
repl-disable-tcp-nodelay repl-diskless-load repl-diskless-sync repl-diskless-sync-delay
repl-diskless-sync-max-replicas repl-ping-replica-period repl-ping-slave-period repl-timeout
replica-announce-ip replica-announce-port replica-announced replica-ignore-disk-write-errors
replica-ignore-maxmemory replica-lazy-flush replica-priority replica-read-only
replica-serve-stale-data replicaof requirepass sanitize-dump-payload save server-cpulist
server_cpulist set-max-intset-entries set-max-listpack-entries set-max-listpack-value
set-proc-title shutdown-on-sigint shutdown-on-sigterm shutdown-timeout slave-announce-ip
slave-announce-port slave-ignore-maxmemory slave-lazy-flush slave-priority slave-read-only
slave-serve-stale-data slaveof slowlog-log-slower-than slowlog-max-len socket-mark-id
stop-writes-on-bgsave-error stream-node-max-bytes stream-node-max-entries supervised
syslog-enabled syslog-facility syslog-ident tcp-backlog tcp-keepalive timeout tls-auth-clients
tls-ca-cert-dir tls-ca-cert-file tls-cert-file tls-ciphers tls-ciphersuites tls-client-cert-file
tls-client-key-file tls-client-key-file-pass tls-cluster tls-dh-params-file tls-key-file
tls-key-file-pass tls-port tls-prefer-server-ciphers tls-protocols tls-replication
tls-session-cache-size tls-session-cache-timeout tls-session-caching tracking-table-max-keys
unixsocket unixsocketperm zset-max-listpack-entries zset-max-listpack-value
zset-max-ziplist-entries zset-max-ziplist-value
`
  .trim()
  .split(/\s+/);

/** Reasons for which names are unknown, by how they begin; the longest that fits counts. */
const unknownBecause: Readonly<Record<string, string>> = {
  'active-defrag-max-scan-fields': 'Records are moved one by one, regardless of their type.',
  appendfilename: 'Files of the log have numbers.',
  cluster: 'There is no cluster bus: nodes agree through a coordinator.',
  'cluster-config-file':
    'The shared state is in the coordinator; the node id is stored with the data.',
  'cluster-replica-validity-factor': 'A replica without the data of its primary is never promoted.',
  'cluster-slave-validity-factor': 'A replica without the data of its primary is never promoted.',
  'max-new': 'All pending connections are accepted.',
  'rdb-del': 'Full syncs are never stored as files.',
  syslog: 'syslog-enabled is no.',
};

/** Remarks on settings that mean something else here, or more. */
const remarks: Readonly<Record<string, string>> = {
  appendfsync: '`always` is `sync`, `everysec` is `periodic`, `no` is `async`.',
  appendonly:
    'It is all persistence, including snapshots: `no` refuses SAVE and BGSAVE. In a file, `no` beside save points leaves it on, since snapshots need the log.',
  'auto-aof-rewrite-min-size': 'A snapshot replaces the rewrite.',
  'auto-aof-rewrite-percentage': 'A snapshot replaces the rewrite.',
  dbfilename:
    'It is read by the first start only and never written: snapshots are in the folder snapshots of the data folder, and `--export-rdb` writes an RDB file.',
  hz: 'It does not depend on the number of clients.',
  'io-threads': 'Main is counted, as in Redis.',
  'io-threads-do-reads': '`yes` where there are front threads, which always read.',
  save: 'The save point of one change is the interval, and comes first. Empty and not settable while appendonly is no.',
  'stop-writes-on-bgsave-error': 'The log still has the writes, so the default is no.',
};

/** Returns why a name of Redis is unknown here; undefined for a name that is known, or none of Redis. */
export function whyUnknown(name: string): string | undefined {
  if (targets.has(name) || !redisNames.includes(name)) return undefined;
  const beginnings = Object.keys(unknownBecause).filter((beginning) => name.startsWith(beginning));
  const longest = beginnings.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : unknownBecause[longest];
}

/** The reference as Markdown: one line for each name. */
export function redisReference(): string {
  const lines = redisNames.toSorted().map((name) => `| \`${name}\` | ${standing(name)} |`);
  return [
    '# Settings of Redis',
    '',
    "What svc does with each setting of Redis 7.4, under that name in CONFIG and in a file of Redis' form",
    '(`--config redis.conf`). Written by `npm run generate`.',
    '',
    '| name | here |',
    '| --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

function standing(name: string): string {
  const target = targets.get(name);
  if (target === undefined) return `unknown. ${whyUnknown(name) ?? ''}`;
  const [setting, ...more] = target.settings;
  if (setting !== undefined) {
    const remark = remarks[name];
    const standard = ofSettings([setting, ...more]);
    return remark === undefined ? standard : `${standard} ${remark}`;
  }
  const { value, reason } = constantNamed(name)!;
  return `always ${value === '' ? 'empty' : `\`${value}\``}. ${reason}`;
}

function ofSettings(names: readonly SettingName[]): string {
  const settings = names.map((name) => `\`${name}\``).join(', ');
  const [first] = names;
  const { effect } = rowOf(first!);
  const when = {
    live: 'changeable while running',
    start: 'read at the start',
  }[effect];
  return `${settings}; ${when}.`;
}
