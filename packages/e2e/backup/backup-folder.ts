/** Backups and restores of a test, by the executable. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mainFile, type RespClient, startServer, until } from '#testkit';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MainEnd } from '../process/main-process.ts';

/** Arguments of a server that takes snapshots only when it is asked to. */
export const PLAIN = ['--set', 'snapshot.interval-secs=0'];

/** Description of a backup, as far as tests read it. */
interface Manifest {
  readonly newest_ms: number;
  readonly starts: readonly { readonly snapshot: number; readonly time_ms: number }[];
  readonly files: readonly { readonly path: string }[];
}

export class BackupFolder {
  readonly #folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-backup-'));
  readonly #shards: number;
  #made = 0;

  /** Data folders are restored for that number of shards. */
  constructor(of: Test, shards: number) {
    this.#shards = shards;
    of.after(() => {
      fs.rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  /** Returns a path that is not there. */
  newPath(): string {
    this.#made += 1;
    return path.join(this.#folder, String(this.#made));
  }

  /** Runs a subcommand, which is the first word. */
  async run(...args: readonly string[]): Promise<MainEnd> {
    const child = spawn(process.execPath, [mainFile, ...args], { cwd: this.#folder });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [exitCode] = (await once(child, 'close')) as [number | null];
    return { exitCode, stdout, stderr };
  }

  /** Runs a subcommand that must fail; returns its error. */
  async refused(...args: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(...args);
    assert.equal([exitCode, stdout], [1, '']);
    return stderr;
  }

  /** Takes a backup, which must succeed; returns its folder. */
  async backup(data: string): Promise<string> {
    const output = this.newPath();
    const end = await this.run('backup', '--data-dir', data, '--output', output);
    assert.equal([end.exitCode, end.stderr], [0, '']);
    assert.match(end.stdout, ', verified');
    assert.equal(fs.readdirSync(output).sort(), ['backup.json', 'data']);
    return output;
  }

  /** Restores a backup, which must succeed; returns the data folder. */
  async restore(from: string, ...more: readonly string[]): Promise<string> {
    const data = this.newPath();
    const target = ['--data-dir', data, '--shards', String(this.#shards)];
    const end = await this.run('restore', '--from', from, ...target, ...more);
    assert.equal([end.exitCode, end.stderr], [0, '']);
    assert.match(end.stdout, `Restored to ${data}`);
    const checked = await this.run('check-data', '--data-dir', data);
    assert.equal([checked.exitCode, checked.stderr], [0, '']);
    return data;
  }

  /** Starts a server on a data folder, and returns what `read` makes of its keys, in Buffers. */
  async served<T>(
    data: string,
    read: (client: RespClient) => Promise<T>,
    args: readonly string[] = [],
  ): Promise<T> {
    const server = await startServer({
      shards: this.#shards,
      args: ['--data-dir', data, ...args],
    });
    try {
      const client = await server.client({ buffers: true });
      const isThere = async (): Promise<boolean> =>
        !((await client.reply('DBSIZE')) instanceof Error);
      await until(isThere, 'the data is back');
      return await read(client);
    } finally {
      await server.stop();
    }
  }
}

export function manifestOf(from: string): Manifest {
  return JSON.parse(fs.readFileSync(path.join(from, 'backup.json'), 'utf8')) as Manifest;
}
