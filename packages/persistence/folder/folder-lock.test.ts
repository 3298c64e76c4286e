/** The lock of a data folder: who holds it, and when it holds no more. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FolderLock } from './folder-lock.ts';

const locks = suite('lock of a data folder');

const base = fs.mkdtempSync(path.join(tmpdir(), 'svc-lock-'));
const children: ChildProcess[] = [];
locks.after(() => {
  for (const child of children) child.kill('SIGKILL');
  fs.rmSync(base, { recursive: true });
});

let made = 0;

function newFolder(): string {
  made += 1;
  return path.join(base, String(made));
}

/** Returns the state and the start time of a process, as the system reports them. */
function statOf(pid: number): { readonly state: string; readonly started: string } {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0]!, started: fields[19]! };
}

function lockBy(owner: unknown): string {
  const folder = newFolder();
  fs.mkdirSync(folder);
  const text = typeof owner === 'string' ? owner : JSON.stringify(owner);
  fs.writeFileSync(path.join(folder, 'lock'), text);
  return folder;
}

/** Returns the message with which a lock of the folder is refused. */
async function lockRefusal(folder: string): Promise<string> {
  try {
    const lock = await FolderLock.take(folder);
    lock.release();
    return 'not refused';
  } catch (error) {
    return (error as Error).message;
  }
}

async function takeAndRelease(folder: string): Promise<void> {
  (await FolderLock.take(folder)).release();
}

locks('a lock is held once, and given back', async () => {
  const folder = newFolder();
  fs.mkdirSync(folder);
  const lock = await FolderLock.take(folder);
  assert.match(await lockRefusal(folder), `is in use by process ${process.pid}`);
  lock.release();
  await takeAndRelease(folder);
  assert.equal(fs.readdirSync(folder), []);
});

locks('a lock is made again where its folder was removed and is there again', async () => {
  const folder = newFolder();
  const file = path.join(folder, 'lock');
  fs.mkdirSync(folder);
  const lock = await FolderLock.take(folder);
  fs.rmSync(folder, { recursive: true });
  fs.mkdirSync(folder);
  await until(() => fs.existsSync(file), 'it is locked again');
  assert.match(await lockRefusal(folder), `is in use by process ${process.pid}`);
  lock.release();
  await takeAndRelease(folder);
  assert.equal(fs.readdirSync(folder), []);
});

locks("a folder that is held can be copied, and its copy is nobody's", async () => {
  const folder = newFolder();
  fs.mkdirSync(folder);
  // What earlier versions left there could not be copied.
  const socket = path.join(folder, 'lock.1.a.sock');
  fs.writeFileSync(socket, '');
  const lock = await FolderLock.take(folder);
  assert.equal(fs.readdirSync(folder), ['lock']);
  const copy = `${folder}-copy`;
  fs.cpSync(folder, copy, { recursive: true });
  await takeAndRelease(copy);
  assert.match(await lockRefusal(folder), `is in use by process ${process.pid}`);
  lock.release();
});

locks('the lock of a running process holds; of one that has ended it does not', async () => {
  const child = spawn('sleep', ['100']);
  children.push(child);
  const pid = child.pid!;
  const { started } = statOf(pid);
  const folder = lockBy({ pid, started });
  assert.match(await lockRefusal(folder), `is in use by process ${pid}`);
  await takeAndRelease(lockBy({ pid, started: String(Number(started) - 1) }));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('exit', resolve));
  await takeAndRelease(folder);
});

locks('the lock of a process that has ended, and was not waited for, does not hold', async () => {
  // The shell is another program before it could have waited for it.
  const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 100']);
  children.push(parent);
  const text = await new Promise<string>((resolve) => {
    parent.stdout.on('data', (bytes: Buffer) => {
      resolve(bytes.toString());
    });
  });
  const pid = Number(text);
  await until(() => statOf(pid).state === 'Z', 'the process has ended');
  await takeAndRelease(lockBy({ pid, started: statOf(pid).started }));
});

locks('the lock of another machine holds while it beats', async () => {
  const folder = lockBy({ pid: process.pid, started: '1', boot: 'of another machine' });
  const file = path.join(folder, 'lock');
  const beating = setInterval(() => {
    fs.utimesSync(file, new Date(), new Date());
  }, 50);
  assert.match(await lockRefusal(folder), `is in use by process ${process.pid}`);
  clearInterval(beating);
  await takeAndRelease(folder);
});

locks('a lock that nobody can read is taken over; one that cannot be written is told', async () => {
  await takeAndRelease(lockBy('no owner'));
  const none = path.join(newFolder(), 'none');
  assert.match(await lockRefusal(none), 'lock cannot be written: ENOENT');
});

locks.run();
