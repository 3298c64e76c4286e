/** Counters of a page that tell of snapshots, recovery and waits for the disk. */
export const DURABILITY_COUNTERS = [
  /** Shards: what snapshots took, and bytes of keys that the one under way kept because they changed. */
  'snapshotUs',
  'snapshotPreservedBytes',
  /** Shards at the start: bytes of files to read, and read so far, and keys found. */
  'loadTotalBytes',
  'loadedBytes',
  'loadedKeys',
  /** Main: 1 while the data is read at the start. */
  'loading',
  /** Main: the snapshot under way (Unix milliseconds of its beginning; 0 = none), and what became of the last ones. */
  'savingSinceMs',
  'saves',
  'savesFailed',
  'lastSaveMs',
  'lastSaveFailed',
  'lastSaveUs',
  'lastSaveBytes',
  'lastSaveKeys',
  /** Bytes of the last snapshot and of the log behind it when it was on disk; and what the logs had counted then. */
  'logBaseBytes',
  'logCountAtBase',
  /** The count of changes of all shards when the last snapshot began. */
  'changesAtSave',
  /** 1 while the log cannot be written. */
  'logFailed',
  /** Bytes that recovery has left out because they were damaged. */
  'recoveryLostBytes',
  /** Logs that recovery has found to have no end: the disk had not taken what came then. */
  'recoveryHoles',
  /** Duration of recovery in microseconds. */
  'recoveryUs',
  /** Time that replies have waited for the disk, in sync mode, and the number of waits. */
  'durableUs',
  'durableWaits',
] as const;
