/**
 * `svc-server cluster bundle`: the bundles of all nodes of a cluster in one archive. A bundle goes from the connection into
 * the file as it comes; a node that gives none is named in the archive, with the reason.
 */

import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { TarArchive } from 'archiver';
import { systemClock, type Bytes } from '#base';
import { readSubcommand } from '#config';
import { httpGet, readCertificates, readGiven } from '#net';
import {
  nodesKnownTo,
  nodesOfCoordinator,
  problemOf,
  type FoundNode,
  type HttpAccess,
} from './cluster-nodes.ts';

/** Milliseconds without data after which a node is abandoned. */
const IDLE_MS_MAX = 60_000;
/** Longest answer that is read for its error. */
const ERROR_BYTES_MAX = 64 * 1024;
/** Size of the pieces of zeros that replace a missing part of a bundle. */
const ZEROS_BYTES = 64 * 1024;
/** File mode of the archive and its entries: readable by the owner only. */
const MODE = 0o600;

interface Wish {
  readonly nodes: () => Promise<readonly FoundNode[]>;
  readonly access: HttpAccess;
  readonly output: string;
  readonly timeMs: number;
}

/** A node, and what came of asking it. */
interface Asked extends FoundNode {
  readonly byteCount: number;
  readonly error: string | undefined;
}

export async function bundle(
  args: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const wish = readWish(args);
  const nodes = await wish.nodes();
  const file = await open(wish.output, 'wx', MODE);
  const asked: Asked[] = [];
  try {
    const archive = await Archive.begun(file, wish);
    for (const node of nodes) {
      const one = await archive.node(node);
      print(`${node.id} ${node.http ?? '-'} ${one.error ?? `${one.byteCount} bytes`}`);
      asked.push(one);
    }
    await archive.end(asked);
  } finally {
    await file.close();
  }
  print(`Wrote ${wish.output}`);
  const failed = asked.filter(({ error }) => error !== undefined);
  if (failed.length === 0) return;
  throw new Error(
    `${failed.length} of ${asked.length} nodes returned no bundle: see errors.txt in the archive`,
  );
}

function readWish(args: readonly string[]): Wish {
  const given = readSubcommand('cluster bundle', args);
  const timeMs = systemClock.wallMs();
  const time = new Date(timeMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const access = {
    ...readCertificates(given),
    token: readGiven(given.text('token-file')).trimEnd(),
    idleMs: IDLE_MS_MAX,
  };
  const place = {
    endpoints: given.text('coordinator').split(','),
    cluster: given.text('name'),
    username: given.text('coordinator-user'),
    password: readGiven(given.text('coordinator-password-file')).trimEnd(),
  };
  const url = `${given.has('tls') ? 'https' : 'http'}://${given.text('address')}`;
  if (!URL.canParse(url)) throw new Error(`--address ${given.text('address')} is not HOST:PORT`);
  return {
    nodes: () =>
      given.text('coordinator') === '' ? nodesKnownTo(url, access) : nodesOfCoordinator(place),
    access,
    output: given.text('output') || `svc-cluster-bundle-${time}.tar`,
    timeMs,
  };
}

/** The archive, which grows as nodes answer. */
class Archive {
  readonly #tar: TarArchive;
  readonly #written: Promise<void>;
  /** Reason for which the file cannot be written. */
  #failure: Error | undefined;
  readonly #wish: Wish;

  private constructor(tar: TarArchive, file: FileHandle, wish: Wish) {
    this.#tar = tar;
    this.#wish = wish;
    const output = file.createWriteStream();
    tar.on('error', (error) => output.destroy(error));
    // Not as a pipeline: its failure would destroy the archiver, and an entry under way then throws where nothing catches it.
    this.#written = finished(tar.pipe(output));
    this.#written.catch((error: unknown) => {
      this.#failure = error as Error;
    });
  }

  static async begun(file: FileHandle, wish: Wish): Promise<Archive> {
    // It takes longer to load than all else that tools need.
    const archiver = await import('archiver');
    return new Archive(new archiver.TarArchive(), file, wish);
  }

  /** Asks a node for its bundle, and writes it. */
  async node(node: FoundNode): Promise<Asked> {
    const { http, isPresent } = node;
    const failed = (error: string): Asked => ({ ...node, byteCount: 0, error });
    if (http === undefined) {
      return failed(isPresent ? 'it has no HTTP side' : 'it is down: it has no lease');
    }
    try {
      const { access } = this.#wish;
      const reply = await httpGet(`${http}/debug/api/bundle/generate`, access);
      const { status, byteCount, body } = reply;
      if (status !== 200) return failed(problemOf(status, await textOf(body)));
      if (!Number.isSafeInteger(byteCount))
        return failed('it does not report the length of its bundle');
      let error: string | undefined;
      const content = filledUp(body, byteCount, (reason) => (error = reason));
      await this.#append(`nodes/${node.id}.tar.gz`, Readable.from(content), byteCount);
      return { ...node, byteCount, error };
    } catch (error) {
      if (this.#failure !== undefined) throw this.#failure;
      return failed((error as Error).message);
    }
  }

  /** Writes the list of requests, and the end of the archive. */
  async end(asked: readonly Asked[]): Promise<void> {
    const documents = asked.map(({ id, role, group, http, byteCount, error }) => ({
      id,
      role,
      group,
      http: http ?? null,
      bundle_bytes: byteCount,
      error: error ?? null,
    }));
    await this.#text('nodes.json', `${JSON.stringify({ nodes: documents }, null, 2)}\n`);
    const failed = asked.filter(({ error }) => error !== undefined);
    if (failed.length > 0) {
      const lines = failed.map(({ id, http, error }) => `${id} ${http ?? '-'} ${error ?? ''}\n`);
      await this.#text('errors.txt', lines.join(''));
    }
    // A file that cannot be written settles only the second.
    await Promise.race([this.#tar.finalize(), this.#written]);
    await this.#written;
  }

  #text(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    return this.#append(name, Readable.from([bytes]), bytes.length);
  }

  /** Appends a file; settles once all of it is taken. */
  async #append(name: string, content: Readable, byteCount: number): Promise<void> {
    const taken = once(this.#tar, 'entry');
    // The archiver takes the length of a stream from here, and has all of it in memory where there is none.
    const stats = { size: byteCount } as Stats;
    this.#tar.append(content, { name, date: new Date(this.#wish.timeMs), mode: MODE, stats });
    try {
      await Promise.race([taken, this.#written]);
    } finally {
      content.destroy();
    }
  }
}

/** Content of a known length, as it arrives; missing bytes are zeros, and the reason is reported. */
async function* filledUp(
  body: AsyncIterable<Bytes>,
  byteCount: number,
  broken: (reason: string) => void,
): AsyncGenerator<Bytes, void> {
  let left = byteCount;
  let cause = 'closed';
  try {
    for await (const piece of body) {
      const part = piece.subarray(0, left);
      left -= part.length;
      if (part.length > 0) yield part;
    }
  } catch (error) {
    cause = (error as Error).message;
  }
  if (left > 0) broken(`its bundle ends ${left} bytes before the end: ${cause}`);
  for (; left > 0; left -= ZEROS_BYTES) yield Buffer.alloc(Math.min(left, ZEROS_BYTES));
}

/** Beginning of an answer as text. */
async function textOf(body: AsyncIterable<Bytes>): Promise<string> {
  let text = '';
  for await (const piece of body) {
    text += Buffer.from(piece).toString();
    if (text.length > ERROR_BYTES_MAX) break;
  }
  return text;
}
