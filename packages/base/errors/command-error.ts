/**
 * The client's mistakes: a code and the exact text that Redis 7.4 answers.
 *
 * Fixed ones are made once and thrown as they are, so that no stack is captured for them.
 */

/** Every code an error reply of this server can begin with. Counted by code in INFO errorstats. */
export const ERROR_CODES = [
  'ERR',
  'WRONGTYPE',
  'WRONGPASS',
  'NOAUTH',
  'NOPROTO',
  'NOPERM',
  'NOTBUSY',
  'NOSCRIPT',
  'NOREPLICAS',
  'OOM',
  'LOADING',
  'BUSY',
  'BUSYKEY',
  'BUSYGROUP',
  'NOGROUP',
  'EXECABORT',
  'MISCONF',
  'READONLY',
  'UNBLOCKED',
  'UNKILLABLE',
  'INVALIDOBJ',
  'CROSSSLOT',
  'MOVED',
  'ASK',
  'TRYAGAIN',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'NOMASTERLINK',
  'IOERR',
  'DENIED',
  'SHARDDOWN',
] as const;

/** An error reply. `text` is the whole line without the leading `-`, beginning with its code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly text: string;

  constructor(text: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(text);
    Error.stackTraceLimit = limit;
    this.text = text;
  }

  /** True for redirects and for CLUSTERDOWN, on whose first word clients act. */
  get isOfCluster(): boolean {
    return OF_CLUSTER.test(this.text);
  }
}

const OF_CLUSTER = /^(MOVED|ASK|CROSSSLOT|TRYAGAIN|CLUSTERDOWN) /;

/** A client's word as errors show it: Redis prints it as C does, up to the first zero byte. */
export function untilNul(word: string): string {
  const end = word.indexOf('\0');
  return end === -1 ? word : word.slice(0, end);
}

const fixed = (text: string): CommandError => new CommandError(text);

/** The catalogue: fixed texts as values, texts with a part of the client's own as functions. */
export const errors = {
  syntax: fixed('ERR syntax error'),
  wrongType: fixed('WRONGTYPE Operation against a key holding the wrong kind of value'),
  notInteger: fixed('ERR value is not an integer or out of range'),
  notFloat: fixed('ERR value is not a valid float'),
  notPositive: fixed('ERR value is out of range, must be positive'),
  outOfRange: fixed('ERR value is out of range'),
  noSuchKey: fixed('ERR no such key'),
  sameObject: fixed('ERR source and destination objects are the same'),
  indexOutOfRange: fixed('ERR index out of range'),
  databaseOutOfRange: fixed('ERR DB index is out of range'),
  invalidFirstDatabase: fixed('ERR invalid first DB index'),
  invalidSecondDatabase: fixed('ERR invalid second DB index'),
  overflow: fixed('ERR increment or decrement would overflow'),
  decrementOverflow: fixed('ERR decrement would overflow'),
  nanOrInfinity: fixed('ERR increment would produce NaN or Infinity'),
  offsetOutOfRange: fixed('ERR offset is out of range'),
  stringTooLong: fixed('ERR string exceeds maximum allowed size (proto-max-bulk-len)'),
  invalidCursor: fixed('ERR invalid cursor'),
  loading: fixed('LOADING Redis is loading the dataset in memory'),
  snapshotFailed: new CommandError(
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the data set are disabled, because this instance is configured to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.",
  ),
  logFailed: (reason: string) =>
    new CommandError(`MISCONF Errors writing to the AOF file: ${oneLine(reason)}`),
  unsafeReply: fixed(
    'MISCONF Errors writing to the AOF file: the command was run, and may not be kept',
  ),
  saveInProgress: fixed('ERR Background save already in progress'),
  saveFailed: (reason: string) => new CommandError(`ERR the snapshot failed: ${oneLine(reason)}`),
  notDurable: fixed('ERR nothing is kept on disk: persistence.enabled is off'),
  noScript: fixed('NOSCRIPT No matching script. Please use EVAL.'),
  noScriptRuns: fixed('NOTBUSY No scripts in execution right now.'),
  stopPending: fixed(
    'BUSY The script stops after its current operation, which cannot be interrupted.',
  ),
  scriptHasWritten: fixed(
    'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.',
  ),
  busyScript: fixed(
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  ),
  busyFunction: fixed(
    'BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.',
  ),
  tooManyKeys: fixed("ERR Number of keys can't be greater than number of args"),
  negativeKeyCount: fixed("ERR Number of keys can't be negative"),
  scriptOutOfMemory: fixed(
    "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'",
  ),
  scriptMayWrite: fixed('ERR Can not execute a script with write flag using *_ro command.'),
  outOfResources: fixed('ERR insufficient memory for this command'),
  noWarmTier: fixed('ERR there is no warm tier, and the value of this key is there'),
  warmDamaged: fixed('ERR the value of this key is damaged in the warm tier and cannot be read'),
  warmMissing: fixed('ERR the value of this key is missing in the warm tier'),
  warmUnreadable: fixed('ERR the warm tier cannot be read, and the value of this key is there'),
  outOfMemory: fixed("OOM command not allowed when used memory > 'maxmemory'."),
  authenticationRequired: fixed('NOAUTH Authentication required.'),
  wrongPassword: fixed('WRONGPASS invalid username-password pair or user is disabled.'),
  noPermission: (denial: string): CommandError => fixed(`NOPERM ${denial}`),
  tooManyCommands: fixed('ERR rate limit exceeded: commands per second'),
  tooManyBytes: fixed('ERR rate limit exceeded: bytes per second'),
  userNameHasSpaces: fixed("ERR Usernames can't contain spaces or null characters"),
  defaultUserStays: fixed("ERR The 'default' user cannot be removed"),
  selectorOpen: (word: string): CommandError =>
    fixed(`ERR Unmatched parenthesis in acl selector starting at '${untilNul(word)}'.`),
  badRule: (rule: string, reason: string): CommandError =>
    fixed(`ERR Error in ACL SETUSER modifier '${untilNul(rule)}': ${reason}`),
  noPasswordSet: fixed(
    'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
  ),
  noProtocol: fixed('NOPROTO unsupported protocol version'),
  protocolNotInteger: fixed('ERR Protocol version is not an integer or out of range'),
  protectedMode: fixed(
    "DENIED svc is running in protected mode because no password is set for the default user and the server is bound beyond loopback. Set 'security.requirepass', bind only loopback addresses, or set 'security.protected-mode' to false.",
  ),
  debugNotAllowed: fixed(
    'ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.',
  ),
  tooManyClients: fixed('ERR max number of clients reached'),
  unblocked: fixed('UNBLOCKED client unblocked via CLIENT UNBLOCK'),
  timeoutNotInteger: fixed('ERR timeout is not an integer or out of range'),
  timeoutNegative: fixed('ERR timeout is negative'),
  keysKeepChanging: fixed('TRYAGAIN The keys that the command reads keep changing, try again'),
  shutdownFailed: fixed('ERR Errors trying to SHUTDOWN. Check logs.'),
  execWithoutMulti: fixed('ERR EXEC without MULTI'),
  execAborted: fixed('EXECABORT Transaction discarded because of previous errors.'),
  /** Redirects are returned unchanged, since cluster clients must recognize them. */
  execRefused: (error: CommandError): CommandError =>
    error.isOfCluster
      ? error
      : fixed(`EXECABORT Transaction discarded because of: ${error.text.replace(/^ERR /, '')}`),
  watchInMulti: fixed('ERR WATCH inside MULTI is not allowed'),
  notInTransaction: fixed('ERR Command not allowed inside a transaction'),
  protocol: (fault: string): CommandError => fixed(`ERR Protocol error: ${fault}`),
  config: (message: string): CommandError => fixed(`ERR ${message}`),
  notAllowedInPubSub: (command: string): CommandError =>
    fixed(
      `ERR Can't execute '${command}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
    ),
  readOnlyReplica: fixed("READONLY You can't write against a read only replica."),
  scriptOnReplica: fixed('READONLY You can not run script with write flag on readonly replica.'),
  primaryDown: fixed(
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  ),
  noPrimaryLink: fixed("NOMASTERLINK Can't SYNC while not connected with my master"),
  failingOver: fixed("NOMASTERLINK Can't SYNC while failing over"),
  roleChanged: fixed(
    'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
  ),
  noReplicas: fixed('NOREPLICAS Not enough good replicas to write.'),
  monitorsKeys: fixed("ERR Replica can't interact with the keyspace"),
  wrongArguments: (command: string): CommandError =>
    fixed(`ERR wrong number of arguments for '${command}' command`),
  unknownCommand: (name: string, firstArguments: string): CommandError =>
    fixed(`ERR unknown command '${name}', with args beginning with: ${firstArguments}`),
  unknownSubcommand: (name: string, container: string): CommandError =>
    fixed(`ERR unknown subcommand '${untilNul(name).slice(0, 128)}'. Try ${container} HELP.`),
  subcommandSyntax: (name: string, container: string): CommandError =>
    fixed(
      `ERR unknown subcommand or wrong number of arguments for '${untilNul(name).slice(0, 128)}'. Try ${container} HELP.`,
    ),
  invalidExpire: (command: string): CommandError =>
    fixed(`ERR invalid expire time in '${command}' command`),
  slotInMotion: fixed('TRYAGAIN Multiple keys request during rehashing of slot'),
  ask: (slot: number, place: string): CommandError => fixed(`ASK ${slot} ${place}`),
  moved: (slot: number, place: string): CommandError => fixed(`MOVED ${slot} ${place}`),
  crossSlot: fixed("CROSSSLOT Keys in request don't hash to the same slot"),
  slotUnbound: fixed('CLUSTERDOWN Hash slot not served'),
  clusterDown: fixed('CLUSTERDOWN The cluster is down'),
  clusterReadsOnly: fixed('CLUSTERDOWN The cluster is down and only accepts read commands'),
  noLease: (reason: string): CommandError =>
    fixed(`CLUSTERDOWN The lease of this node is uncertain: ${oneLine(reason)}`),
  notInCluster: (what: string): CommandError => fixed(`ERR ${what} in cluster mode`),
  shardDown: (shard: number): CommandError => fixed(`SHARDDOWN shard ${String(shard)} has stopped`),
} as const;

/** An error reply is one line. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}
