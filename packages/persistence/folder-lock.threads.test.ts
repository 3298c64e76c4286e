/** Processes that want the same folder at the same moment: one has it, whoever had it before. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const locking = suite('lock of a folder');

const TRIES = 60;
const PROCESSES = 3;
/** So long ahead of each try all are told of it. */
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
      lock = new FolderLock(folder);
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

  constructor() {
    const args = ['--input-type=module', '-e', RACER];
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
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

/** A process that runs no more. */
async function deadOwner(): Promise<string> {
  const child = spawn('true');
  const { pid } = child;
  await new Promise((resolve) => child.on('exit', resolve));
  return JSON.stringify({ pid, started: '1' });
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
      assert.equal(fs.readdirSync(folder), ['lock'], 'nothing else stays');
      const owner = JSON.parse(fs.readFileSync(path.join(folder, 'lock'), 'utf8')) as object;
      assert.match(JSON.stringify(owner), `"pid":${racers[said.indexOf('taken')]!.pid},`);
    }
  });
}

locking('a claim of a dead process holds nobody up, and is cleared away', async () => {
  const folder = fs.mkdtempSync(path.join(base, 'data-'));
  const { pid } = JSON.parse(await deadOwner()) as { pid: number };
  fs.writeFileSync(path.join(folder, `lock.${pid}.1`), '');
  assert.is(await racers[0]!.try(folder, 0), 'taken');
  assert.equal(fs.readdirSync(folder), ['lock']);
});

locking(
  'a claim of a process that runs is given way to, or waited for and then not passed',
  async () => {
    const child = spawn('sleep', ['100']);
    const stat = fs.readFileSync(`/proc/${child.pid!}/stat`, 'latin1');
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
    const folder = fs.mkdtempSync(path.join(base, 'data-'));
    fs.writeFileSync(path.join(folder, `lock.${child.pid!}.${started}`), '');
    assert.match(await racers[0]!.try(folder, 0), `is in use by process ${child.pid!}`);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('exit', resolve));
    assert.is(await racers[0]!.try(folder, 0), 'taken');
  },
);

locking.run();
