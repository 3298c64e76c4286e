import { BULK_BYTES_MAX, SHARDS_MAX } from '#base';
import { bytes, clamped, integer, LONG_MAX, oneOf, password, text, yesOrNo } from '../kinds.ts';
import { words } from '../list-kinds.ts';
import { eventClasses, outputLimit, permissions } from '../redis/redis-kinds.ts';
import { rows } from '../setting.ts';
import { users } from '../user-kind.ts';

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
  'server.unix-socket': {
    kind: text,
    default: '',
    effect: 'start',
    config: 'unixsocket',
    meaning: 'Path of a unix socket to listen on as well; empty for none.',
  },
  'server.unix-socket-permissions': {
    kind: permissions,
    default: 0,
    effect: 'start',
    config: 'unixsocketperm',
    meaning: 'Permissions of the unix socket, as chmod writes them; 0 leaves them to the umask.',
  },
  'server.tcp-backlog': {
    kind: integer(),
    default: 511,
    effect: 'start',
    config: 'tcp-backlog',
    meaning: 'Most connections that may wait to be accepted.',
  },
  'server.multiplexing-api': {
    kind: oneOf('auto', 'epoll', 'libuv'),
    default: 'auto',
    effect: 'start',
    meaning:
      'Interface by which main and front threads wait for plain sockets; auto means epoll where Linux and the package koffi are there, else libuv.',
  },
  'server.shards': {
    kind: integer({ most: SHARDS_MAX }),
    default: 0,
    effect: 'start',
    meaning:
      'Shard threads that hold the data; 0 means one less than there are cores, less the front threads.',
  },
  'server.front-threads': {
    kind: integer({ least: -1, most: FRONTS_MAX }),
    default: -1,
    effect: 'start',
    meaning:
      'Threads that read and write the sockets of clients, and do TLS, in place of main; -1 means none up to 3 cores, else one for each 3.',
  },
  'server.databases': {
    // The number is 16 bits of a frame and of a record of the log.
    kind: integer({ least: 1, most: 65_536 }),
    default: 16,
    effect: 'start',
    config: 'databases',
    meaning:
      'Numbered databases that SELECT can choose from; each takes 16 kB on every shard, used or not.',
  },
  'server.max-clients': {
    kind: integer({ least: 1, most: 2 ** 32 - 1 }),
    default: 10_000,
    effect: 'live',
    config: 'maxclients',
    meaning: 'Connections at a time; further ones are told so and closed.',
  },
  'server.timeout-secs': {
    kind: seconds,
    default: 0,
    effect: 'live',
    config: 'timeout',
    meaning: 'Idle time after which a connection is closed; 0 means never.',
  },
  'server.tcp-keepalive-secs': {
    kind: seconds,
    default: 300,
    effect: 'live',
    config: 'tcp-keepalive',
    meaning: 'Idle time after which the peer is probed; 0 means never.',
  },
  'server.proto-max-bulk-len': {
    kind: bytes({ least: MIB, most: BULK_BYTES_MAX }),
    default: 512 * MIB,
    effect: 'live',
    config: 'proto-max-bulk-len',
    meaning: 'Longest single argument, and longest string value.',
  },
  'server.query-buffer-limit': {
    kind: bytes({ least: MIB }),
    default: 1024 * MIB,
    effect: 'live',
    config: 'client-query-buffer-limit',
    meaning: 'Bytes of unfinished commands one client may have before it is disconnected.',
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
    meaning: 'Keys remembered for client-side caching; 0 means no limit.',
  },
  'server.hz': {
    kind: clamped(1, 500),
    default: 10,
    effect: 'live',
    config: 'hz',
    meaning: 'Rounds of background work per second: expiry, time-outs, rates.',
  },
  'server.shutdown-timeout-secs': {
    kind: seconds,
    default: 10,
    effect: 'live',
    config: 'shutdown-timeout',
    meaning: 'Longest wait for work in flight before the server ends.',
  },
  'scripting.busy-reply-threshold-ms': {
    kind: integer({ most: LONG_MAX, unit: 'milliseconds' }),
    default: 5000,
    effect: 'live',
    config: 'busy-reply-threshold',
    aliases: ['lua-time-limit'],
    meaning: 'Run time of a script after which other clients are answered BUSY.',
  },
  'scripting.memory-limit': {
    kind: bytes({ least: 32 * MIB, most: 2_048 * MIB }),
    default: 256 * MIB,
    effect: 'live',
    meaning: 'Memory that Lua may take in each shard; a script that needs more fails.',
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
      'File of users and their rules, as Redis has it; ACL SAVE writes it, and ACL LOAD reads it again. Empty for none.',
  },
  'security.users': {
    kind: users,
    default: [],
    effect: 'start',
    isPart: true,
    meaning: 'Users and their rules, where there is no ACL file.',
  },
  'security.acl-pubsub-default': {
    kind: oneOf('allchannels', 'resetchannels'),
    default: 'resetchannels',
    effect: 'live',
    config: 'acl-pubsub-default',
    meaning: 'Channels that a new user may use: all or none.',
  },
  'security.acllog-max-len': {
    kind: integer(),
    default: 128,
    effect: 'live',
    config: 'acllog-max-len',
    meaning: 'Most entries that ACL LOG keeps of what was denied.',
  },
  'security.protected-mode': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'protected-mode',
    meaning: 'Refuses other machines while there is no password.',
  },
  'security.enable-debug-command': {
    kind: oneOf('no', 'local', 'yes'),
    default: 'no',
    effect: 'start',
    config: 'enable-debug-command',
    meaning:
      'Clients that may use the parts of DEBUG that disturb (SLEEP, RELOAD, ...): nobody, clients on this machine (local), or everybody (yes).',
  },
});
