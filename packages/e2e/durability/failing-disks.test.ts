/**
 * A data folder whose disk gets full, fails, can only be read, is unmounted, or that is removed, beneath a server that
 * serves writes: what was acknowledged is there after a restart, and the server heals where the disk does.
 */
// test-tier: long
// test-limit: 240s

import type { StatusDocument } from '#api-types';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type RespClient, SmallDisk, textOf, ThinDisk, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeptServer } from './kept-server.ts';

const disks = suite('failing disks');

const MODES = ['sync', 'periodic'];
const SHARDS = 2;
const VALUE_BYTES = 10_000;
const WRITES_MAX = 10_000;
/** Snapshots that fail while a disk stays as it is. */
const FAILURES = 3;
const MISCONF = /^MISCONF Errors writing to the AOF file/;

/** A server whose data folder is on a separate disk, with its acknowledged writes. */
class Subject {
  readonly server = new KeptServer();
  readonly disk = path.join(this.server.folder, 'disk');
  readonly data = path.join(this.disk, 'data');
  readonly acknowledged: string[] = [];
  client!: RespClient;

  async start(mode: string): Promise<void> {
    const args = [
      ...['--data-dir', this.data],
      ...['--set', `persistence.durability-mode=${mode}`],
      // Those that are due by themselves would come in between.
      ...['--set', 'snapshot.save-points=', '--set', 'snapshot.interval-secs=0'],
    ];
    this.client = await this.server.start({ shards: SHARDS, args });
  }

  /** Writes a key that nothing makes shorter; returns the reply. */
  async write(): Promise<string> {
    const key = `key:${String(this.acknowledged.length)}:${randomBytes(4).toString('hex')}`;
    const reply = textOf(await this.client.reply('SET', key, randomBytes(VALUE_BYTES)));
    if (reply === 'OK') this.acknowledged.push(key);
    return reply;
  }

  async writeMany(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) assert.is(await this.write(), 'OK');
  }

  /** Writes until it is refused; returns the first refusal. */
  async writeUntilRefused(): Promise<string> {
    for (let nth = 0; nth < WRITES_MAX; nth += 1) {
      const reply = await this.write();
      if (reply !== 'OK') return reply;
    }
    return 'never refused';
  }

  untilTaken(): Promise<void> {
    return until(async () => (await this.write()) === 'OK', 'writes are taken again');
  }

  async status(): Promise<StatusDocument> {
    return JSON.parse(textOf(await this.client.call('STATUS', 'JSON'))) as StatusDocument;
  }

  async codes(): Promise<string[]> {
    return (await this.status()).health.issues.map(({ code }) => code);
  }

  /** Waits until what was acknowledged is on disk, and not in the hands of the kernel alone. */
  untilSynced(): Promise<void> {
    const isSynced = async (): Promise<boolean> =>
      (await this.status()).persistence.wal.pending_ops === 0;
    return until(isSynced, 'the log is synced');
  }

  /** Waits until `count` snapshots have failed. */
  untilFailed(count: number): Promise<void> {
    const failed = (): number => this.server.server.stdout.split(' snapshot-failed ').length - 1;
    return until(() => failed() >= count, `${String(count)} snapshots have failed`);
  }

  /** Unix milliseconds of the snapshots that have failed. */
  get failedMs(): readonly number[] {
    const lines = this.server.server.stdout.matchAll(/^(\S+) ERROR main snapshot-failed /gm);
    return [...lines].map(([, time]) => Date.parse(time!));
  }

  /** Names of segments and of snapshots, whole or not. */
  get files(): { readonly segments: readonly string[]; readonly snapshots: readonly string[] } {
    const segments = [...Array(SHARDS).keys()].flatMap((shard) =>
      namesIn(path.join(this.data, 'log', `shard-${String(shard)}`)),
    );
    return { segments, snapshots: namesIn(path.join(this.data, 'snapshots')) };
  }

  /** Kills the server, and finds all that it has acknowledged in the next one; `between` is done while none runs. */
  async demandAllAfterKill(mode: string, between: () => void = () => undefined): Promise<void> {
    const { stderr } = this.server.server;
    assert.is(stderr, '');
    await this.server.kill();
    between();
    await this.start(mode);
    assert.is(await this.client.call('EXISTS', ...this.acknowledged), this.acknowledged.length);
  }
}

/** Demands that the delays between failures grow; a busy machine only makes them longer. */
function demandLongerDelays([first, second, third]: readonly number[]): void {
  assert.ok(second! - first! >= 1_900, 'the second after two seconds');
  assert.ok(third! - second! >= 3_900, 'the third after four');
}

function namesIn(folder: string): readonly string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

/** Declares a test in each mode, on a disk that `mount` makes; `run` is not called where it cannot be had. */
function onDisk<Disk>(
  what: string,
  mount: (folder: string) => Disk | undefined,
  unmount: (disk: Disk) => void,
  run: (subject: Subject, disk: Disk, mode: string) => Promise<void>,
): void {
  for (const mode of MODES) {
    disks(`${mode} mode: ${what}`, async () => {
      const subject = new Subject();
      const disk = mount(subject.disk);
      if (disk === undefined) {
        await subject.server.remove();
        return;
      }
      try {
        await subject.start(mode);
        await run(subject, disk, mode);
        await subject.server.kill();
      } finally {
        if (subject.server.server.isRunning) await subject.server.kill();
        unmount(disk);
        await subject.server.remove();
      }
    });
  }
}

const small = (megabytes: number) => (folder: string) => SmallDisk.mount(folder, megabytes);
const unmount = (disk: SmallDisk): void => {
  disk.unmount();
};
const removeThin = (disk: ThinDisk): void => {
  disk.remove();
};

onDisk('a full disk', small(12), unmount, async (subject, disk, mode) => {
  assert.match(await subject.writeUntilRefused(), MISCONF);
  await subject.untilFailed(FAILURES);
  // What the mode leaves free decides whether the disk is nearly full as well.
  const codes = (await subject.codes()).filter((code) => code !== 'DISK_NEARLY_FULL');
  assert.equal(codes, ['PERSISTENCE_ERROR']);
  const { segments, snapshots } = subject.files;
  assert.ok(segments.length <= 2 * SHARDS, `one for each failure: ${segments.join(' ')}`);
  assert.ok(snapshots.length <= 1, `one for each failure: ${snapshots.join(' ')}`);
  demandLongerDelays(subject.failedMs);
  assert.match(textOf(await subject.client.reply('SAVE')), /^ERR/);
  assert.is(subject.failedMs.length, FAILURES + 1, 'SAVE does not wait for the delay');
  disk.resize(200);
  await subject.untilTaken();
  assert.equal(await subject.codes(), []);
  await subject.writeMany(10);
  await subject.demandAllAfterKill(mode);
});

onDisk('killed on a full disk', small(12), unmount, async (subject, disk, mode) => {
  assert.match(await subject.writeUntilRefused(), MISCONF);
  await subject.untilFailed(FAILURES);
  await subject.server.kill();
  disk.resize(200);
  const partial = path.join(subject.data, 'snapshots', '0000000099.partial');
  fs.mkdirSync(partial, { recursive: true });
  fs.writeFileSync(path.join(partial, 'shard-0.snapshot'), 'half');
  await subject.start(mode);
  assert.not.ok(fs.existsSync(partial), 'what an earlier process left is removed');
  const { acknowledged } = subject;
  assert.is(await subject.client.call('EXISTS', ...acknowledged), acknowledged.length);
});

onDisk('a removed data folder', small(200), unmount, async (subject, _disk, mode) => {
  await subject.writeMany(20);
  fs.rmSync(subject.data, { recursive: true });
  assert.match(await subject.writeUntilRefused(), MISCONF);
  await subject.server.reported(/ log-failed .* is missing/);
  await subject.untilTaken();
  assert.equal(await subject.codes(), []);
  const lock = path.join(subject.data, 'lock');
  await until(() => fs.existsSync(lock), 'the folder is locked again');
  await subject.demandAllAfterKill(mode);
});

onDisk('removed snapshots', small(200), unmount, async (subject, _disk, mode) => {
  await subject.writeMany(20);
  await subject.client.call('SAVE');
  await subject.writeMany(20);
  fs.rmSync(path.join(subject.data, 'snapshots'), { recursive: true });
  assert.match(await subject.writeUntilRefused(), MISCONF);
  await subject.untilTaken();
  await subject.demandAllAfterKill(mode);
});

onDisk('an unmounted disk', small(200), unmount, async (subject, disk, mode) => {
  await subject.writeMany(20);
  // Like a disk that is mounted in two places and keeps its contents.
  const again = path.join(subject.server.folder, 'again');
  fs.mkdirSync(again);
  execFileSync('mount', ['--bind', disk.folder, again]);
  try {
    disk.unmount();
    assert.match(await subject.writeUntilRefused(), MISCONF);
    await subject.untilFailed(FAILURES);
    assert.match(subject.server.server.stdout, 'is no longer on its disk');
    assert.equal(fs.readdirSync(disk.folder), [], 'nothing is put where the disk was');
    assert.equal(await subject.codes(), ['PERSISTENCE_ERROR']);
    execFileSync('mount', ['--bind', again, disk.folder]);
    await subject.untilTaken();
    await subject.demandAllAfterKill(mode);
  } finally {
    execFileSync('umount', ['--lazy', again]);
  }
});

onDisk('a folder that is mounted read-only', small(200), unmount, async (subject, _disk, mode) => {
  const { client, data } = subject;
  await subject.writeMany(20);
  // What is open already can be written on.
  execFileSync('mount', ['--bind', data, data]);
  try {
    execFileSync('mount', ['-o', 'remount,bind,ro', data]);
    await subject.writeMany(20);
    assert.match(textOf(await client.reply('SAVE')), /^ERR/);
    await subject.server.reported(/ snapshot-failed .*EROFS/);
    assert.match(await subject.writeUntilRefused(), MISCONF);
    assert.equal(await subject.codes(), ['PERSISTENCE_ERROR']);
  } finally {
    execFileSync('umount', ['--lazy', data]);
  }
  await subject.untilTaken();
  assert.is(textOf(await client.call('SAVE')), 'OK');
  assert.equal(await subject.codes(), []);
  await subject.demandAllAfterKill(mode);
});

onDisk('snapshots alone cannot be written', small(200), unmount, async (subject, _disk, mode) => {
  const { client, data } = subject;
  await subject.writeMany(20);
  await client.call('SAVE');
  await client.call('CONFIG', 'SET', 'save', '3600 1', 'stop-writes-on-bgsave-error', 'yes');
  const snapshots = path.join(data, 'snapshots');
  execFileSync('mount', ['--bind', snapshots, snapshots]);
  try {
    execFileSync('mount', ['-o', 'remount,bind,ro', snapshots]);
    assert.match(textOf(await client.reply('SAVE')), /^ERR/);
    const refusal = await subject.writeUntilRefused();
    assert.match(refusal, /^MISCONF Redis is configured to save RDB snapshots/);
    assert.equal(await subject.codes(), ['PERSISTENCE_ERROR']);
  } finally {
    execFileSync('umount', ['--lazy', snapshots]);
  }
  await subject.untilTaken();
  assert.equal(await subject.codes(), []);
  await subject.demandAllAfterKill(mode);
});

const thin = (room: number) => (folder: string) => ThinDisk.mount(folder, 60, room);

onDisk('a file system that turns read-only', thin(80), removeThin, async (subject, disk, mode) => {
  await subject.writeMany(20);
  await subject.untilSynced();
  disk.makeReadOnly();
  assert.match(await subject.writeUntilRefused(), MISCONF);
  await subject.untilFailed(FAILURES);
  assert.equal(await subject.codes(), ['PERSISTENCE_ERROR']);
  await subject.demandAllAfterKill(mode, () => {
    disk.unmount();
    disk.mountAgain();
  });
});

onDisk('a disk that fails beneath its files', thin(8), removeThin, async (subject, disk, mode) => {
  assert.match(await subject.writeUntilRefused(), MISCONF);
  await subject.untilFailed(FAILURES);
  assert.equal(await subject.codes(), ['PERSISTENCE_ERROR']);
  if (mode !== 'sync') return;
  // What was acknowledged is on disk in sync mode alone.
  await subject.demandAllAfterKill(mode, () => {
    disk.unmount();
    disk.mend(100);
    disk.mountAgain();
  });
});

disks.run();
