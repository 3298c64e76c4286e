/**
 * The data of a folder without a server: loaded into memory in one thread, for any number of shards. Used to check it,
 * to change the number of shards, and to import and export RDB files.
 */
import fs from 'node:fs';
import {
  asBuffer,
  type Bytes,
  CommandError,
  finish,
  keySlot,
  shardOfSlot,
  systemClock,
} from '#base';
import { type ShardSettingValues, valueLimits } from '#commands';
import type { Page } from '#stats';
import {
  isProblem,
  type KeptPlace,
  type Manifest,
  realDisk,
  type RecoveryPlan,
  type RecoveryProblem,
  SnapshotWriter,
} from '#persistence';
import {
  agree,
  type Agreement,
  offlineShard,
  offlinePage,
  Recovery,
  type RecoveryReport,
  refusalsOf,
  Settings,
  type Shard,
  type ShardMachine,
} from '#shard';
import {
  accessOfUse,
  isLong,
  type Keyspace,
  KeyStateWriter,
  LIBRARIES_PIECE,
  longState,
  rdb,
  type Ref,
} from '#store';
import type { LocalTier } from '#tier';

/** Report about the data. */
export interface OfflineReport {
  readonly shards: number;
  readonly keys: number;
  readonly records: number;
  /** Number of the snapshot that recovery begins with; 0 = none. */
  readonly snapshot: number;
  readonly remarks: readonly string[];
  /** Messages about the logs that could not be written at their end. */
  readonly unwritten: readonly string[];
  /** Bytes that were skipped because they were damaged, or after damage. */
  readonly lostBytes: number;
}

const PIECE_BYTES = 256 * 1024;

export class OfflineData {
  readonly machines: readonly ShardMachine[];
  readonly #settings: ShardSettingValues;
  readonly #pages: readonly Page[];
  readonly #scripts: Shard['scripts'][] = [];
  readonly #recoveries: Recovery[] = [];
  readonly #tiers: readonly LocalTier[];
  #untilMs = Infinity;

  /** `tiers`: one for each shard, which takes what memory has no room for; or none. */
  constructor(shards: number, settings: ShardSettingValues, tiers: readonly LocalTier[] = []) {
    this.#settings = settings;
    this.#tiers = tiers;
    const pages: Page[] = [];
    const machines: ShardMachine[] = [];
    const usedBytesOfAll = (): number =>
      machines.reduce((sum, { store }) => sum + store.memory.usedBytes, 0);
    for (let index = 0; index < shards; index += 1) {
      const page = offlinePage(settings);
      pages.push(page);
      const tier = tiers[index];
      const shard = offlineShard({ index, shards, page, settings, tier, usedBytesOfAll });
      machines.push(shard.machine);
      this.#scripts.push(shard.scripts);
    }
    this.machines = machines;
    this.#pages = pages;
  }

  /** Moves values that exceed the memory to the warm tier. */
  #makeRoom(shard: number): void {
    const tier = this.#tiers[shard];
    if (tier === undefined) return;
    const machine = this.machines[shard]!;
    machine.loaded();
    tier.compact(machine.store);
  }

  /**
   * Reads the files of a plan without changing them, up to the first record of each shard after `untilMs` (Unix
   * milliseconds). A transaction over several shards is read whole or not at all.
   */
  load(plan: RecoveryPlan, anyway: boolean, untilMs = Infinity): OfflineReport | RecoveryProblem {
    const reports: RecoveryReport[] = [];
    this.#untilMs = untilMs;
    for (const shard of this.machines.keys()) {
      const outcome = this.#recover(shard, plan, anyway);
      if (isProblem(outcome)) return outcome;
      reports.push(outcome);
    }
    const { stops, missing } = agree(this.machines.map(({ replay }) => replay.end));
    for (const [shard, stopAt] of stops.entries()) {
      if (stopAt === undefined) continue;
      const outcome = this.#recover(shard, plan, anyway, stopAt);
      if (isProblem(outcome)) return outcome;
      reports[shard] = outcome;
    }
    this.#complete(missing);
    const leftOut = reports.flatMap((report) => report.leftOut);
    const damaged = leftOut.filter(({ isDamage }) => isDamage);
    const refused = reports.reduce((sum, { refusedRecords }) => sum + refusedRecords, 0);
    const remarks = leftOut.map(({ message, bytes }) => `${message}; ${bytes} bytes are left out`);
    if (refused > 0) remarks.push(refusalsOf(refused));
    return {
      shards: this.machines.length,
      keys: this.keys,
      records: reports.reduce((sum, { records }) => sum + records, 0),
      snapshot: plan.number,
      remarks,
      unwritten: plan.shards.flatMap(({ unwritten }) => unwritten ?? []),
      lostBytes: damaged.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  #recover(
    shard: number,
    plan: RecoveryPlan,
    anyway: boolean,
    stopAt?: number,
  ): RecoveryReport | RecoveryProblem {
    const machine = this.machines[shard]!;
    machine.beginReplay(stopAt, this.#untilMs);
    const { store, replay } = machine;
    const passed = (): void => {
      this.#makeRoom(shard);
    };
    const recovery = new Recovery({ store, replay, page: this.#pages[shard]!, passed });
    const outcome = recovery.run(plan.shards[shard]!, anyway);
    this.#recoveries[shard] = recovery;
    return outcome;
  }

  /** Transactions that one log has and another not are done where they are missing. */
  #complete(missing: Agreement['missing']): void {
    const given = [...missing].flatMap(([giver, wanted]) => {
      const records = this.machines[giver]!.replay.recordsOf(new Set(wanted.keys()));
      return [...wanted].map(([id, shards], nth) => ({ id, shards, record: records[nth]! }));
    });
    for (const { shards, record } of given.sort((a, b) => a.id - b.id)) {
      for (const shard of shards) this.machines[shard]!.replay.given(record);
    }
  }

  /** Gives back the disk that the tiers take. */
  close(): void {
    for (const tier of this.#tiers) tier.close();
  }

  /** Repairs the log files: damaged parts are moved aside. */
  repair(): void {
    for (const recovery of this.#recoveries) recovery.repair();
  }

  get keys(): number {
    return this.machines.reduce((sum, { store }) => sum + store.keyCount, 0);
  }

  /** Databases with keys, and how many. */
  get keysByDatabase(): readonly (readonly [database: number, keys: number])[] {
    const count = this.machines[0]?.store.databases.length ?? 0;
    return Array.from({ length: count }, (_, database) => {
      const keys = this.machines.map(({ store }) => store.databases[database]!.size);
      return [database, keys.reduce((sum, each) => sum + each, 0)] as const;
    }).filter(([, keys]) => keys > 0);
  }

  /** Unix milliseconds of the last record that was replayed; 0 for none. */
  get lastRecordMs(): number {
    return Math.max(0, ...this.machines.map(({ replay }) => replay.end.timeMs));
  }

  get #hasFieldExpiry(): boolean {
    return this.machines.some(({ store }) =>
      store.databases.some(({ fieldExpires }) => fieldExpires > 0),
    );
  }

  /** Every key of every shard, database by database. `visit` changes nothing. */
  each(visit: (keyspace: Keyspace, ref: Ref, database: number) => void): void {
    for (const { store } of this.machines) store.tier.isWriting = () => false;
    const databases = this.machines[0]?.store.databases.length ?? 0;
    for (let database = 0; database < databases; database += 1) {
      for (const { store } of this.machines) {
        const keyspace = store.databases[database]!;
        let cursor = 0;
        do {
          cursor = keyspace.scan(cursor, 1_000, (ref) => {
            visit(keyspace, ref, database);
            // A value that came from the tier is needed no more.
            if (keyspace.isWarm(ref)) keyspace.endLoan(ref);
          });
        } while (cursor !== 0);
      }
    }
  }

  /** Takes in a snapshot of Redis, or what can be read of it; throws an RdbFileError. */
  importRdb(file: string, skipsDamaged = false): string {
    const [{ store }] = this.machines as [ShardMachine];
    const nowMs = systemClock.wallMs();
    store.nowMs = nowMs;
    store.clock = Math.floor(nowMs / 1_000) & 0xff_ffff;
    const libraries: string[] = [];
    const found = readFrom(file, (source) =>
      rdb.readRdbFile(source, {
        nowMs,
        skipsDamaged,
        library: (code) => {
          libraries.push(asBuffer(code).toString('latin1'));
        },
        limits: valueLimits({ store, settings: new Settings(this.#settings) }),
        keyspaceOf: (database) => store.databases[database],
        accessOf: (use) => accessOfUse(use, store),
        passed: () => {
          this.#makeRoom(0);
        },
      }),
    );
    const damaged = [...found.damaged, ...this.#loadLibraries(file, libraries, skipsDamaged)];
    const left = [
      ...(found.empty.length > 0
        ? [`${found.empty.length} empty keys were skipped: ${someOf(found.empty)}`]
        : []),
      ...(damaged.length > 0
        ? [`${damaged.length} unreadable entries were skipped: ${someOf(damaged)}`]
        : []),
      ...(found.expired > 0 ? [`${found.expired} keys had expired`] : []),
      ...(found.functions > 0 ? [`${found.functions} libraries of functions`] : []),
    ];
    return [`${found.keys} keys of a snapshot of version ${found.version}`, ...left].join('; ');
  }

  /** Returns texts about skipped data. */
  #loadLibraries(file: string, codes: readonly string[], skipsDamaged: boolean): string[] {
    const scripts = this.#scripts[0]!;
    const skipped: string[] = [];
    const pieces = skipsDamaged ? codes.map((code) => [code]) : [codes];
    for (const [nth, piece] of pieces.entries()) {
      try {
        scripts.restoreLibraries(piece, nth === 0 ? 'flush' : 'append');
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        const problem = `a library of functions: ${error.text}`;
        if (!skipsDamaged) throw new rdb.RdbFileError(`${file}: ${problem}`);
        skipped.push(problem);
      }
    }
    return skipped;
  }

  /** Code of each library of functions: all shards have the same. */
  get #libraries(): readonly Bytes[] {
    const scripts = this.#scripts[0]!;
    return scripts.libraries.map(({ code }) => Buffer.from(code, 'latin1'));
  }

  /**
   * Writes an RDB file for Redis, with the position in the replication stream if it is known. Returns the number of keys,
   * and of those that are reduced to what Redis 7.4 knows.
   */
  exportRdb(file: string, place?: KeptPlace): { keys: number; reduced: number } {
    const fd = fs.openSync(file, 'wx', 0o600);
    let keys = 0;
    let reduced = 0;
    try {
      const createdSecs = Math.floor(systemClock.wallMs() / 1_000);
      const fields = [
        ['redis-ver', '7.4.0'],
        ['redis-bits', '64'],
        ['ctime', String(createdSecs)],
        ...placeFields(place),
      ] as const;
      const pieces: Bytes[] = [];
      let bytes = 0;
      const flush = (): void => {
        realDisk.append(fd, pieces.splice(0));
        bytes = 0;
      };
      const writer = new rdb.RdbFileWriter(
        (piece) => {
          pieces.push(piece);
          bytes += piece.length;
          if (bytes > PIECE_BYTES) flush();
        },
        this.#hasFieldExpiry,
        fields,
      );
      for (const code of this.#libraries) writer.library(code);
      this.each((keyspace, ref, database) => {
        writer.key(database, keyspace, ref);
        keys += 1;
        if (rdb.isExtended(keyspace, ref)) reduced += 1;
      });
      writer.end();
      flush();
      fs.fsyncSync(fd);
    } catch (error) {
      fs.rmSync(file, { force: true });
      throw error;
    } finally {
      fs.closeSync(fd);
    }
    return { keys, reduced };
  }

  /** Writes a snapshot for a number of shards into a data folder; returns its manifest. */
  write(folder: string, shards: number, number: number, epoch: number): Promise<Manifest> {
    return new Promise((resolve, reject) => {
      const writer = new SnapshotWriter({
        number,
        shards,
        epoch,
        folder,
        packs: true,
        disk: realDisk,
        clock: systemClock,
        took: () => undefined,
        ended: (result) => {
          if (result instanceof Error) reject(result);
          else resolve(result);
        },
      });
      const libraries = this.#libraries;
      for (let shard = 0; shard < shards && libraries.length > 0; shard += 1) {
        writer.take(shard, rdb.dumpFunctions(libraries), LIBRARIES_PIECE);
      }
      const writers = Array.from({ length: shards }, () => new KeyStateWriter(PIECE_BYTES));
      let longStates = 0;
      const handOn = (shard: number): void => {
        const states = writers[shard]!;
        const { count } = states;
        if (count > 0) writer.take(shard, states.take(), count);
      };
      this.each((keyspace, ref, database) => {
        const { bytes, at, length } = keyspace.key(ref);
        const shard = shardOfSlot(keySlot(bytes, at, length), shards);
        if (isLong(keyspace, ref)) {
          longStates += 1;
          const take = writer.take.bind(writer, shard);
          finish(longState(keyspace, ref, database, longStates, take));
          return;
        }
        writers[shard]!.write(keyspace, ref, database);
        if (writers[shard]!.length >= PIECE_BYTES) handOn(shard);
      });
      for (let shard = 0; shard < shards; shard += 1) {
        handOn(shard);
        writer.take(shard, new Uint8Array(0), 0);
      }
    });
  }
}

/** Things that are named in a report. */
const SHOWN_MAX = 10;

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_MAX).join(', ');
  return names.length > SHOWN_MAX ? `${shown} and ${names.length - SHOWN_MAX} more` : shown;
}

/** Returns what `read` makes of a file while it is open. */
function readFrom<T>(file: string, read: (source: rdb.RdbSource) => T): T {
  const fd = fs.openSync(file, 'r');
  try {
    return read({
      bytes: fs.fstatSync(fd).size,
      read(into, at) {
        let got = 0;
        while (got < into.length) {
          const bytes = fs.readSync(fd, into, got, into.length - got, at + got);
          if (bytes === 0) throw new rdb.RdbFileError(`it ends at offset ${at + got}`);
          got += bytes;
        }
      },
    });
  } finally {
    fs.closeSync(fd);
  }
}

/** Returns the fields from which a Redis that loads the snapshot resumes the replication stream. */
function placeFields(place: KeptPlace | undefined): (readonly [name: string, value: string])[] {
  if (place === undefined) return [];
  return [
    ['repl-stream-db', String(place.database)],
    ['repl-id', place.id],
    ['repl-offset', String(place.offset)],
  ];
}
