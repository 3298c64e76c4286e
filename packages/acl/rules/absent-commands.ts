/**
 * Commands of Redis 7.4 that this server does not have. Rules may name them, since users bring their ACL files along;
 * they cannot be run.
 */

const names = ['replicaof', 'slaveof', ...['module|load', 'module|loadex', 'module|unload']];

export const ABSENT_COMMANDS: ReadonlySet<string> = new Set(names);
