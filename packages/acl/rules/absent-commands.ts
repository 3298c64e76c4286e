/**
 * Commands of Redis 7.4 that this server does not have. Rules may name them, since users bring their ACL files along; nobody
 * can run them.
 */

const names = [
  'asking',
  'readonly',
  'readwrite',
  'replicaof',
  'restore-asking',
  'slaveof',
  ...['module|load', 'module|loadex', 'module|unload'],
  'cluster',
  ...[
    ...['addslots', 'addslotsrange', 'bumpepoch', 'count-failure-reports', 'countkeysinslot'],
    ...['delslots', 'delslotsrange', 'failover', 'flushslots', 'forget', 'getkeysinslot', 'help'],
    ...['info', 'keyslot', 'links', 'meet', 'myid', 'myshardid', 'nodes', 'replicas', 'replicate'],
    ...['reset', 'saveconfig', 'set-config-epoch', 'setslot', 'shards', 'slaves', 'slots'],
  ].map((part) => `cluster|${part}`),
];

export const ABSENT_COMMANDS: ReadonlySet<string> = new Set(names);
