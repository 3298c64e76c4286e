/** Runbooks of threads, clients and memory. */

import type { HealthCode } from '#api-types';
import type { RunbookText } from './runbook.ts';

/** Codes of threads, clients and memory. */
type ServerCode = Extract<
  HealthCode,
  | 'NOT_READY'
  | 'SHARD_STUCK'
  | 'MAIN_STUCK'
  | 'FRONT_STUCK'
  | 'MEMORY_PRESSURE'
  | 'NEAR_CONNECTION_LIMIT'
  | 'HIGH_LATENCY'
  | 'PROCESSOR_STARVATION'
  | 'GARBAGE_COLLECTION'
  | 'CLIENT_BUFFERS'
  | 'HIT_RATE_FALLING'
  | 'CERTIFICATE_EXPIRES'
>;

/** Runbooks of threads, clients and memory by health code. */
export const SERVER_RUNBOOKS: Readonly<Record<ServerCode, RunbookText>> = {
  NOT_READY: {
    meaning:
      'The server starts, loads its data, or stops. Commands with keys are refused with LOADING until it is ready.',
    look: [
      '`/readyz?verbose` and INFO `loading_loaded_perc`: the progress of loading.',
      'The log: a start that is refused ends with the reason.',
    ],
    act: [
      'Wait: loading takes a few seconds for each gigabyte. Give probes of orchestrators enough time for it.',
      'If it stops instead: the log has `stopping`, and the service manager shows who asked for it.',
    ],
    alerts: [],
  },
  SHARD_STUCK: {
    meaning:
      'A shard has been running one command or script for more than a second. Its keys are not served; other shards are.',
    look: [
      'The issue itself: it names the command, the key, the script and the client.',
      '`/debug/shards` and `STATUS`: what each shard is doing, and how many requests wait. Both respond while shards are stuck.',
      '`SLOWLOG GET` afterwards: the command with its arguments, and its phases.',
    ],
    act: [
      'A script: `SCRIPT KILL` or `FUNCTION KILL`; one that has written can only be ended with the server (`SHUTDOWN NOSAVE`).',
      'A command over a big key (`KEYS`, `LRANGE 0 -1`, `SUNION`): let it end, close its client with `CLIENT KILL ID`, and use SCAN, HSCAN or smaller ranges in the application.',
      'Several shards at once: look at PROCESSOR_STARVATION, the machine may be the cause.',
      'Forbid the command to the user: `ACL SETUSER name -keys`.',
    ],
    alerts: ['SvcShardStuck', 'SvcThreadStalled'],
  },
  MAIN_STUCK: {
    meaning:
      'The main thread does not respond, so no client is served. Pages, metrics and bundles are served by another thread.',
    look: [
      '`/status/json`: `main` names the command that it runs, and since when.',
      '`/debug/history`: processor time of main, run-queue time and pauses of garbage collection before it began.',
      '`top -H -p PID`: a thread at 100 % computes; one at 0 % waits, for a disk or for a processor.',
    ],
    act: [
      'Take a bundle: `curl -sOJ http://HOST:9090/debug/api/bundle/generate`, before a restart loses the evidence.',
      'If the machine has no processor time, see PROCESSOR_STARVATION.',
      'Otherwise restart the server; the watchdog of systemd does so after `WatchdogSec`. Report the bundle.',
    ],
    alerts: ['SvcMainStuck'],
  },
  FRONT_STUCK: {
    meaning:
      'A front thread (`server.front-threads`) does not respond: clients of its connections wait.',
    look: ['`/debug/shards`: the thread, since when, and its processor time.'],
    act: [
      'As for MAIN_STUCK; a restart with `server.front-threads = 0` serves all clients by main.',
    ],
    alerts: [],
  },
  MEMORY_PRESSURE: {
    meaning:
      '`maxmemory` is nearly used. Without eviction, writes are then refused with OOM; with eviction, it is not keeping up with the writes.',
    look: [
      '`/debug/memory`: what takes the memory, by kind, prefix and sampled key.',
      '`PREFIXES` and `redis-cli --bigkeys`: who owns it.',
      '`/debug/history`: whether it grows steadily, or since a release.',
    ],
    act: [
      'Raise `maxmemory` (`CONFIG SET maxmemory 4gb`) if the machine has room: INFO `usable_memory`.',
      'Choose an eviction policy for a cache: `CONFIG SET maxmemory-policy allkeys-lfu`.',
      'Delete or expire what is not needed: UNLINK, EXPIRE.',
      'Keep the least used values on a disk: `memory.maxmemory-policy = "tiered-lfu"`.',
    ],
    alerts: ['SvcMemoryHigh', 'SvcMemoryFull', 'SvcWritesRefusedForMemory'],
  },
  NEAR_CONNECTION_LIMIT: {
    meaning: '`maxclients` is nearly reached. Further connections are refused with an error.',
    look: [
      '`/debug/clients` grouped by address, user and library: who holds the connections.',
      'INFO `total_connections_received`: a client that connects for each command shows here.',
    ],
    act: [
      'Use a pool in the application, and close what is idle: `CONFIG SET timeout 300`.',
      'Close a group: `CLIENT KILL ADDR`, `CLIENT KILL USER`.',
      'Raise `maxclients`; `LimitNOFILE` of the unit must be above it.',
    ],
    alerts: ['SvcConnectionsRejected', 'SvcConnectionsHigh'],
  },
  HIGH_LATENCY: {
    meaning:
      'The slowest 1 % of the requests wait for or run in a shard longer than `status.queue-latency-warning-ms` or `status.execution-latency-warning-ms`.',
    look: [
      '`LATENCY DOCTOR`: it begins with what limits the server now, and what to do.',
      '`SLOWLOG GET` and `/debug/performance`: phases show waiting and running apart.',
      '`HOTKEYS` and `/debug/shards`: one shard that is busier than the others has a hot key, or keys with one hash tag.',
    ],
    act: [
      'Waiting, one shard busy: spread its keys, or cache the hot key in the client (CLIENT TRACKING).',
      'Waiting, all shards busy: more shards, if there are processors.',
      'Running: cheaper commands, smaller keys.',
      'Raise the thresholds if the workload is meant to be so.',
    ],
    alerts: ['SvcLatencyHigh', 'SvcQueueWaitHigh'],
  },
  PROCESSOR_STARVATION: {
    meaning:
      'A thread was ready to run and waited for a processor for half of the last seconds. Every latency is then that of the machine.',
    look: [
      '`/debug/shards`: the run-queue time of each thread.',
      '`machine` in STATUS: processors, load, throttling by the cgroup, stolen time of a virtual machine.',
      '`top`: other programs that compute.',
    ],
    act: [
      'Give it processors: one for each shard, one for main, one for each front thread. In a container, raise the limit.',
      'Fewer shards and front threads than processors.',
      'Move other work off the machine, or give it a lower priority (`nice`, `CPUWeight`).',
    ],
    alerts: ['SvcProcessorStarvation'],
  },
  GARBAGE_COLLECTION: {
    meaning: "A tenth of a thread's time is spent in garbage collections, or one took 100 ms.",
    look: [
      '`/debug/shards`: the thread with its collections and heap.',
      '`SLOWLOG GET` by reply size: replies of many elements are the usual cause; scripts with big tables another.',
    ],
    act: [
      'Smaller ranges and replies: LRANGE, ZRANGE and SMEMBERS of big keys by parts.',
      'Split big keys; limit what a script collects.',
    ],
    alerts: [],
  },
  CLIENT_BUFFERS: {
    meaning:
      'A client does not read its replies as fast as it asks for them. Its output buffer takes memory that is outside of `maxmemory`.',
    look: [
      'The issue names the client; `CLIENT LIST ID n` shows `omem`, address, name and last command.',
      '`/debug/clients` sorted by output buffer.',
    ],
    act: [
      '`CLIENT KILL ID n`: the application connects again.',
      '`client-output-buffer-limit` closes such clients by itself, for normal clients, replicas and pub/sub apart.',
      'A subscriber that cannot follow: fewer channels for each connection. MONITOR: end it.',
    ],
    alerts: ['SvcOutputBuffers'],
  },
  HIT_RATE_FALLING: {
    meaning:
      'Fewer look-ups find their key than before, while keys are evicted: the cache is too small for what is asked.',
    look: [
      '`/debug/history`: hit rate, evictions and keys together.',
      '`KEYFATE`: whether a key that is missed was evicted, or expired, or deleted.',
      '`PREFIXES`: which prefix grew.',
    ],
    act: [
      'Raise `maxmemory`.',
      '`allkeys-lfu` keeps what is asked often; `allkeys-lru` what was asked lately. A scan over all keys spoils the latter.',
      'Shorter expiry for what is written once and not read.',
    ],
    alerts: ['SvcHitRateFalling'],
  },
  CERTIFICATE_EXPIRES: {
    meaning:
      'The TLS certificate ends within `status.certificate-warning-days`. Clients refuse an expired one.',
    look: [
      'The issue: the end of the certificate in use.',
      '`openssl x509 -enddate -noout -in server.pem`: that of the file.',
    ],
    act: [
      'Renew it, and put it into the same files.',
      'SIGHUP (`systemctl reload svc-server`), or `CONFIG SET tls-cert-file FILE tls-key-file FILE`: no connection is closed, and a pair that cannot be used is refused.',
    ],
    alerts: ['SvcCertificateExpires'],
  },
};

/** Alerts of threads, clients and memory that have no health code. */
export const SERVER_ALERTS: readonly (RunbookText & { readonly name: string })[] = [
  {
    name: 'SvcDown',
    meaning:
      'Prometheus cannot scrape the HTTP port: the process, its machine or the network between is down.',
    look: [
      '`redis-cli -h HOST PING`: if it replies, only HTTP fails (`http.bind`, `http.token`, a firewall).',
      'The end of the log, `journalctl -u svc-server`, and `dmesg` for the out-of-memory killer.',
      '`crash-*.json` in the data folder: the error that ended it, and the last events.',
    ],
    act: [
      'Start it; it loads its data by itself.',
      'Killed for memory: lower `maxmemory` or raise the limit of the container ([sizing](operate.md#sizing)).',
      'A start that is refused names the file or setting.',
    ],
    alerts: ['SvcDown'],
  },
  {
    name: 'SvcRestarted',
    meaning: 'The server started within the last 15 minutes, planned or not.',
    look: [
      '`/debug/history`: the event `unclean-end` is there if it was not planned, with the last figures before.',
      'The log before the start; `crash-*.json` in the data folder.',
    ],
    act: ['Planned: nothing. Otherwise as SvcDown; report the crash file.'],
    alerts: ['SvcRestarted'],
  },
  {
    name: 'SvcThreadBusy',
    meaning: 'A thread uses more than 90 % of a processor: it is at its limit.',
    look: [
      '`LATENCY DOCTOR`: which command, key or client takes the time.',
      '`/debug/commands`: processor time by command.',
    ],
    act: [
      'Main: longer pipelines in clients, then a front thread (`server.front-threads = 1`).',
      'A shard: cheaper commands, a hot key cached in the client, more shards.',
      'Beyond one machine: replicas for reads, a cluster for writes.',
    ],
    alerts: ['SvcThreadBusy'],
  },
  {
    name: 'SvcShardsSkewed',
    meaning: 'One shard has many more keys than the others.',
    look: [
      '`/debug/shards`: keys and memory of each.',
      '`PREFIXES`: keys with hash tags (`{...}`) of one value are on one shard.',
    ],
    act: [
      'Use more values in hash tags, or none.',
      'Skew of keys alone, without skew of load, does no harm.',
    ],
    alerts: ['SvcShardsSkewed'],
  },
  {
    name: 'SvcLimited',
    meaning: 'One cause has limited the server for 15 minutes; the label `cause` names it.',
    look: ['`LATENCY DOCTOR` and the overview: the sentence with value, threshold and object.'],
    act: [
      'The advice beside it; causes are listed in [what limits the server](operate.md#what-limits-the-server).',
    ],
    alerts: ['SvcLimited'],
  },
  {
    name: 'SvcHealth',
    meaning: 'A health issue has been there for 10 minutes; the label `code` names it.',
    look: ['`svc-server doctor --address HOST:PORT`, or `/readyz?verbose`.'],
    act: ['The runbook of the code.'],
    alerts: ['SvcHealth'],
  },
  {
    name: 'SvcDenials',
    meaning: 'More than 50 logins or commands were denied within five minutes.',
    look: [
      '`ACL LOG`: user, address, command or key, and how often.',
      '`ACL STATS user`: what the user did and was denied; `/debug/users` shows both.',
    ],
    act: [
      'A new release of an application: give it the rights that it needs (`ACL SETUSER`), `ACL DRYRUN` tries them.',
      'Wrong passwords from a strange address: block it, and change the password if it was public.',
    ],
    alerts: ['SvcDenials'],
  },
];
