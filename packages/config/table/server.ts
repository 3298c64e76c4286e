import { BULK_BYTES_MAX, SHARDS_MAX } from '#base';
import { bytes, clamped, integer, LONG_MAX, oneOf, password, text, yesOrNo } from '../kinds.ts';
import { words } from '../list-kinds.ts';
import { availabilityZone, release } from '../name-kinds.ts';
import { eventClasses, outputLimit, permissions } from '../redis/redis-kinds.ts';
import { rows } from '../setting.ts';
import { users } from '../user-kind.ts';
import { REDIS_VERSION } from '../version.ts';

const MIB = 1024 ** 2;
/** As many as Redis has I/O threads at the most. */
const FRONTS_MAX = 128;
const seconds = integer({ unit: 'seconds' });

/** [server] and [scripting]: listeners, connections and the protocol. */
export const serverSettings = rows({
  'server.bind': {
    kind: words(16),
    default: ['127.0.0.1'],
    effect: 'live',
    config: 'bind',
    meaning: 'Addresses to listen on; none means no TCP listener.',
  },
  'server.port': {
    kind: integer({ most: 65_535 }),
    default: 6379,
    effect: 'live',
    config: 'port',
    meaning: 'TCP port for clients; 0 means no TCP listener.',
  },
  'server.availability-zone': {
    kind: availabilityZone,
    default: '',
    effect: 'live',
    config: 'availability-zone',
    meaning:
      'Availability zone that the server runs in, reported in INFO and HELLO, and by the nodes of a cluster in CLUSTER SHARDS and CLUSTER SLOTS, for clients that prefer servers nearby; empty for none.',
  },
  'server.unix-socket': {
    kind: text,
    default: '',
    effect: 'start',
    config: 'unixsocket',
    meaning: 'Path of an additional unix socket to listen on; empty for none.',
  },
  'server.unix-socket-permissions': {
    kind: permissions,
    default: 0,
    effect: 'start',
    config: 'unixsocketperm',
    meaning: 'Permissions of the unix socket, in octal as for chmod; 0 for those of the umask.',
  },
  'server.tcp-backlog': {
    kind: integer(),
    default: 511,
    effect: 'start',
    config: 'tcp-backlog',
    meaning: 'Maximum number of connections waiting to be accepted.',
  },
  'server.multiplexing-api': {
    kind: oneOf('auto', 'epoll', 'libuv'),
    default: 'auto',
    effect: 'start',
    meaning:
      'Event interface of main and front threads for plain sockets; auto means epoll on Linux with the package koffi, otherwise libuv.',
  },
  'server.shards': {
    kind: integer({ most: SHARDS_MAX }),
    default: 0,
    effect: 'start',
    meaning:
      'Number of shard threads, which hold the data; 0 means the number of processors that the process may use, minus one and minus the front threads.',
  },
  'server.front-threads': {
    kind: integer({ least: -1, most: FRONTS_MAX }),
    default: -1,
    effect: 'start',
    meaning:
      'Number of threads that read and write client sockets, including TLS, instead of main; -1 means none up to 3 processors, otherwise one for each 3. A node of a cluster has none.',
  },
  'server.databases': {
    // The number is 16 bits of a frame and of a record of the log.
    kind: integer({ least: 1, most: 65_536 }),
    default: 16,
    effect: 'start',
    config: 'databases',
    meaning: 'Number of databases for SELECT; each takes 16 kB on every shard, used or not.',
  },
  'server.max-clients': {
    kind: integer({ least: 1, most: 2 ** 32 - 1 }),
    default: 10_000,
    effect: 'live',
    config: 'maxclients',
    meaning: 'Maximum number of open connections; further ones get an error and are closed.',
  },
  'server.timeout-secs': {
    kind: seconds,
    default: 0,
    effect: 'live',
    config: 'timeout',
    meaning: 'Idle time after which a client connection is closed; 0 means never.',
  },
  'server.tcp-keepalive-secs': {
    kind: seconds,
    default: 300,
    effect: 'live',
    config: 'tcp-keepalive',
    meaning: 'Idle time after which TCP keep-alive probes are sent; 0 means never.',
  },
  'server.proto-max-bulk-len': {
    kind: bytes({ least: MIB, most: BULK_BYTES_MAX }),
    default: 512 * MIB,
    effect: 'live',
    config: 'proto-max-bulk-len',
    meaning: 'Maximum length of an argument and of a string value.',
  },
  'server.query-buffer-limit': {
    kind: bytes({ least: MIB }),
    default: 1024 * MIB,
    effect: 'live',
    config: 'client-query-buffer-limit',
    meaning:
      'Limit of partially received commands of one client, in bytes, beyond which it is disconnected.',
  },
  'server.client-output-buffer-limit-normal': {
    kind: outputLimit,
    default: [0, 0, 0],
    effect: 'live',
    isPart: true,
    meaning: 'Output buffer limits of ordinary clients: hard limit, soft limit, soft seconds.',
  },
  'server.client-output-buffer-limit-replica': {
    kind: outputLimit,
    default: [256 * MIB, 64 * MIB, 60],
    effect: 'live',
    isPart: true,
    meaning: 'Output buffer limits of replicas: hard limit, soft limit, soft seconds.',
  },
  'server.client-output-buffer-limit-pubsub': {
    kind: outputLimit,
    default: [32 * MIB, 8 * MIB, 60],
    effect: 'live',
    isPart: true,
    meaning:
      'Output buffer limits of clients that subscribe to channels: hard limit, soft limit, soft seconds.',
  },
  'server.notify-keyspace-events': {
    kind: eventClasses,
    default: '',
    effect: 'live',
    config: 'notify-keyspace-events',
    meaning: "Classes of key events that are published, in Redis' letters.",
  },
  'server.tracking-table-max-keys': {
    kind: integer({ most: LONG_MAX }),
    default: 1_000_000,
    effect: 'live',
    config: 'tracking-table-max-keys',
    meaning: 'Maximum number of keys tracked for client-side caching; 0 means no limit.',
  },
  'server.hz': {
    kind: clamped(1, 500),
    default: 10,
    effect: 'live',
    config: 'hz',
    meaning: 'Rounds of background work per second: expiry, timeouts, rates.',
  },
  'server.shutdown-timeout-secs': {
    kind: seconds,
    default: 10,
    effect: 'live',
    config: 'shutdown-timeout',
    meaning: 'Maximum time to finish work in flight before the server stops.',
  },
  'server.reported-redis-version': {
    kind: release,
    default: REDIS_VERSION,
    effect: 'start',
    meaning:
      "Version of Redis that clients see (INFO, HELLO, LOLWUT, Lua's REDIS_VERSION, redis_instance_info), for applications that use newer commands only if it is new enough.",
  },
  'scripting.busy-reply-threshold-ms': {
    kind: integer({ most: LONG_MAX, unit: 'milliseconds' }),
    default: 5000,
    effect: 'live',
    config: 'busy-reply-threshold',
    aliases: ['lua-time-limit'],
    meaning: 'Execution time of a script after which other clients receive BUSY.',
  },
  'scripting.memory-limit': {
    kind: bytes({ least: 32 * MIB, most: 2_048 * MIB }),
    default: 256 * MIB,
    effect: 'live',
    meaning: 'Memory limit of Lua in each shard; a script that needs more fails.',
  },
  'security.requirepass': {
    kind: password,
    default: '',
    effect: 'live',
    config: 'requirepass',
    isSecret: true,
    meaning: 'Password of the default user; empty for none.',
  },
  'security.acl-file': {
    kind: text,
    default: '',
    effect: 'start',
    config: 'aclfile',
    meaning:
      'ACL file with users and their rules, in the format of Redis; ACL SAVE writes it, ACL LOAD reloads it. Empty for none.',
  },
  'security.users': {
    kind: users,
    default: [],
    effect: 'start',
    isPart: true,
    meaning: 'Users and their rules, if there is no ACL file.',
  },
  'security.acl-pubsub-default': {
    kind: oneOf('allchannels', 'resetchannels'),
    default: 'resetchannels',
    effect: 'live',
    config: 'acl-pubsub-default',
    meaning: 'Default permission of new users for channels: all or none.',
  },
  'security.acllog-max-len': {
    kind: integer(),
    default: 128,
    effect: 'live',
    config: 'acllog-max-len',
    meaning: 'Maximum number of entries of ACL LOG.',
  },
  'security.protected-mode': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'protected-mode',
    meaning: 'Refuses clients of other machines while there is no password.',
  },
  'security.enable-debug-command': {
    kind: oneOf('no', 'local', 'yes'),
    default: 'no',
    effect: 'start',
    config: 'enable-debug-command',
    meaning:
      'Clients that may use the disruptive subcommands of DEBUG (SLEEP, RELOAD, ...): none (no), those on this machine (local), or all (yes).',
  },
});
