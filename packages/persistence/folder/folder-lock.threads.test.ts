/** Processes that lock the same folder at the same moment: one gets it, regardless of the previous owner. */
// test-tier: long
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { needs, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const locking = suite('lock of a folder');

const TRIES = 60;
const PROCESSES = 3;
/** Namespaces of their own, as those of containers. */
const CONTAINERS = ['-p', '-n', '-f', '--mount-proc', '--kill-child'];
/** Milliseconds by which each try is announced to all in advance. */
const AHEAD_MS = 4;

/** Takes the folder of each line at the time of the line, says how that went, and keeps it until the next. */
const RACER = `
  import { createInterface } from 'node:readline';
  import { FolderLock } from '${new URL('folder-lock.js', import.meta.url).href}';
  let lock;
  for await (const line of createInterface({ input: process.stdin })) {
    lock?.release();
    lock = undefined;
    const [folder, at] = line.split(' ');
    while (Date.now() < Number(at));
    try {
      lock = await FolderLock.take(folder);
      process.stdout.write('taken\\n');
    } catch (error) {
      process.stdout.write(error.name + ' ' + error.message + '\\n');
    }
  }
`;

class Racer {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  /** Behind the words of `by`, which run what follows. */
  constructor(by: readonly string[] = []) {
    const [program, ...args] = [...by, process.execPath, '--input-type=module', '-e', RACER];
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#reader = createInterface({ input: this.#child.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async try(folder: string, atMs: number): Promise<string> {
    this.#child.stdin.write(`${folder} ${atMs}\n`);
    const { value } = (await this.#lines.next()) as { value: string };
    return value;
  }

  end(): void {
    this.#reader.close();
    this.#child.kill('SIGKILL');
  }
}

const base = fs.mkdtempSync(path.join(tmpdir(), 'svc-lock-'));
const racers = Array.from({ length: PROCESSES }, () => new Racer());
locking.after(() => {
  for (const racer of racers) racer.end();
  fs.rmSync(base, { recursive: true });
});

/** Namespaces are for those who may make them. */
function canUnshare(): boolean {
  if (!needs('unshare')) return false;
  if (spawnSync('unshare', [...CONTAINERS, 'true']).status === 0) return true;
  process.stdout.write('left out: needs the right to make namespaces\n');
  return false;
}

/** A process that runs no more. */
async function deadOwner(): Promise<string> {
  const child = spawn('true');
  const { pid } = child;
  await new Promise((resolve) => child.on('exit', resolve));
  return JSON.stringify({ pid, started: '1' });
}

function ownerOf(folder: string): { readonly pid: number; readonly id: string } {
  const text = fs.readFileSync(path.join(folder, 'lock'), 'utf8');
  return JSON.parse(text) as { readonly pid: number; readonly id: string };
}

const states: readonly (readonly [what: string, lock: (dead: string) => string | undefined])[] = [
  ['a lock of a dead process', (dead) => dead],
  ['a lock that its owner has not written to the end', () => ''],
  ['no lock', () => undefined],
];
for (const [what, lockOf] of states) {
  locking(`of processes that find ${what} at the same time one has the folder`, async () => {
    const dead = await deadOwner();
    for (let nth = 0; nth < TRIES; nth += 1) {
      const folder = fs.mkdtempSync(path.join(base, 'data-'));
      const lock = lockOf(dead);
      if (lock !== undefined) fs.writeFileSync(path.join(folder, 'lock'), lock);
      const atMs = Date.now() + AHEAD_MS;
      const said = await Promise.all(racers.map((racer) => racer.try(folder, atMs)));
      assert.is(said.filter((each) => each === 'taken').length, 1, said.join('; '));
      for (const each of said) {
        assert.match(each, /^taken$|^DataFolderError the data folder .* is in use by process \d+$/);
      }
      const owner = ownerOf(folder);
      assert.is(owner.pid, racers[said.indexOf('taken')]!.pid);
      await until(() => fs.readdirSync(folder).length === 1, 'nothing else stays');
      assert.equal(fs.readdirSync(folder), ['lock']);
    }
  });
}

locking('a claim of a dead process holds nobody up, and is cleared away', async () => {
  const folder = fs.mkdtempSync(path.join(base, 'data-'));
  const dead = await deadOwner();
  const { pid } = JSON.parse(dead) as { pid: number };
  fs.writeFileSync(path.join(folder, `lock.${pid}.a1`), dead);
  assert.is(await racers[0]!.try(folder, 0), 'taken');
  assert.equal(fs.readdirSync(folder), ['lock']);
});

locking(
  'a claim of a process that runs is given way to, or waited for and then not passed',
  async () => {
    const child = spawn('sleep', ['100']);
    const pid = child.pid!;
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
    const folder = fs.mkdtempSync(path.join(base, 'data-'));
    fs.writeFileSync(path.join(folder, `lock.${pid}.a1`), JSON.stringify({ pid, started }));
    assert.match(await racers[0]!.try(folder, 0), `is in use by process ${pid}`);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('exit', resolve));
    assert.is(await racers[0]!.try(folder, 0), 'taken');
  },
);

locking(
  'a process that is stopped holds its folder; one that was killed holds it no more',
  async () => {
    const folder = fs.mkdtempSync(path.join(base, 'data-'));
    const holder = new Racer();
    assert.is(await holder.try(folder, 0), 'taken');
    process.kill(holder.pid, 'SIGSTOP');
    assert.match(await racers[0]!.try(folder, 0), `is in use by process ${holder.pid}`);
    holder.end();
    await until(() => !fs.existsSync(`/proc/${holder.pid}`), 'the process has ended');
    assert.is(await racers[0]!.try(folder, 0), 'taken');
    assert.equal(fs.readdirSync(folder), ['lock']);
  },
);

if (canUnshare()) {
  locking(
    'of processes in containers of their own one has the folder, until it is killed',
    async () => {
      const contained = Array.from(
        { length: PROCESSES },
        () => new Racer(['unshare', ...CONTAINERS]),
      );
      try {
        for (let nth = 0; nth < TRIES; nth += 1) {
          const folder = fs.mkdtempSync(path.join(base, 'data-'));
          const atMs = Date.now() + AHEAD_MS;
          const said = await Promise.all(contained.map((racer) => racer.try(folder, atMs)));
          assert.is(said.filter((each) => each === 'taken').length, 1, said.join('; '));
          for (const each of said) assert.match(each, /^taken$| is in use by process 1$/);
          assert.match(await racers[0]!.try(folder, 0), 'is in use by process 1');
          if (nth < TRIES - 1) continue;
          contained[said.indexOf('taken')]!.end();
          let again = '';
          await until(async () => {
            again = await racers[0]!.try(folder, 0);
            return again === 'taken';
          }, 'the folder is free');
        }
      } finally {
        for (const racer of contained) racer.end();
      }
    },
  );
}

locking.run();
