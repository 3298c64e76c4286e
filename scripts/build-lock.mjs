/**
 * A lock between processes, so that two starts at once do not build over each other.
 *
 * The lock is a folder, which only one process can make, holding a file named after its owner. A
 * lock whose owner has died is taken over by whoever manages to remove that file: only one can.
 */
import { mkdirSync, readdirSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
const WAIT_MS_MAX = 10 * 60_000;
/** A lock without an owner's name is being made this very moment, unless it is older than this. */
const UNNAMED_MS_MAX = 5_000;

function attempt(action) {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function take(folder) {
  mkdirSync(path.dirname(folder), { recursive: true });
  if (!attempt(() => mkdirSync(folder))) return false;
  return attempt(() => writeFileSync(path.join(folder, String(process.pid)), ''));
}

/** Clears away a lock whose owner is gone; answers the living owner's process id, if there is one. */
function ownerOrNone(folder) {
  let owners;
  try {
    owners = readdirSync(folder);
    if (owners.length === 0 && Date.now() - statSync(folder).mtimeMs < UNNAMED_MS_MAX) return;
  } catch {
    return; // Released between two looks.
  }
  const owner = Number(owners[0]);
  if (owners.length > 0 && isAlive(owner)) return owner;
  if (owners.length > 0 && !attempt(() => unlinkSync(path.join(folder, owners[0])))) return;
  attempt(() => rmdirSync(folder));
}

function release(folder) {
  attempt(() => unlinkSync(path.join(folder, String(process.pid))));
  attempt(() => rmdirSync(folder));
}

/** Runs the work while holding the lock, waiting for another holder first. */
export async function withLock(folder, work) {
  const startedMs = performance.now();
  let told = false;
  while (!take(folder)) {
    const owner = ownerOrNone(folder);
    if (owner !== undefined && !told) {
      process.stderr.write(`waiting for process ${owner}, which is building\n`);
      told = true;
    }
    if (performance.now() - startedMs > WAIT_MS_MAX) {
      throw new Error(`the lock ${folder} was not released within ${WAIT_MS_MAX / 60_000} minutes`);
    }
    await sleep(POLL_MS);
  }
  const onExit = () => release(folder);
  process.once('exit', onExit);
  try {
    await work();
  } finally {
    process.off('exit', onExit);
    release(folder);
  }
}
