/** Extents in a file, and in one more for each time that the folder vanished: no native library takes part. */

import fs from 'node:fs';
import path from 'node:path';
import type { Bytes } from '#base';
import { compress, compressedBytesMax, decompress } from './lz4.ts';
import { FilePages } from './file-pages.ts';
import type { ExtentChange, ExtentDisk } from './tier-service.ts';

const PAGE_BYTES = 4_096;
/** Pages of what is compressed are shorter: most of it needs less than one of the system's. */
const COMPRESSED_PAGE_BYTES = 1_024;
/** Extents shorter than this are not worth being compressed. */
const COMPRESSION_BYTES_MIN = 512;
/** Numbers of extents for which there is a place at first. */
const EXTENTS_MIN = 1_024;
const FILE_NAME = 'extents';
/** Files of one folder: a number of them is a byte of each extent's place. */
const FILES_MAX = 255;
/** Room for what is read and written is kept up to this size. */
const KEPT_BYTES_MAX = 1_048_576;

/** Empties the folder, and opens a file in it. Rejects where it cannot be made or written. */
export async function openExtents(folder: string, compresses: boolean): Promise<ExtentDisk> {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  return Promise.resolve(new ExtentFiles(folder, compresses));
}

/** A file, and the use of its pages. */
interface OpenFile {
  readonly descriptor: number;
  readonly pages: FilePages;
}

/** Position of an extent. */
interface Place {
  readonly file: number;
  readonly page: number;
  readonly bytes: number;
  /** Length before compression; 0 for an extent that is not compressed. */
  readonly fullBytes: number;
}

class ExtentFiles implements ExtentDisk {
  readonly #folder: string;
  readonly #compresses: boolean;
  readonly #pageBytes: number;
  /** Files by their numbers, from 1 on; undefined where one was closed. The last is written. */
  readonly #files: (OpenFile | undefined)[] = [undefined];
  readonly #places = new Places();
  #input: Bytes = new Uint8Array(0);
  #output: Bytes = new Uint8Array(0);
  #packed: Bytes = new Uint8Array(0);
  writtenBytes = 0;

  constructor(folder: string, compresses: boolean) {
    this.#folder = folder;
    this.#compresses = compresses;
    this.#pageBytes = compresses ? COMPRESSED_PAGE_BYTES : PAGE_BYTES;
    this.#files.push(this.#newFile());
  }

  get #current(): OpenFile {
    return this.#files.at(-1)!;
  }

  /** Opens a new file, which must not be there. */
  #newFile(): OpenFile {
    const descriptor = fs.openSync(path.join(this.#folder, FILE_NAME), 'wx+', 0o600);
    return { descriptor, pages: new FilePages() };
  }

  read(extent: number): Bytes | undefined {
    const place = this.#places.get(extent);
    if (place === undefined) return undefined;
    const stored = this.#readPlace(place);
    if (place.fullBytes === 0) return stored;
    this.#packed = roomFor(this.#packed, place.fullBytes);
    const full = this.#packed.subarray(0, place.fullBytes);
    // The checksums of its values say that it is damaged.
    if (!decompress(stored, full)) full.fill(0);
    return full;
  }

  #readPlace({ file, page, bytes }: Place): Bytes {
    this.#input = roomFor(this.#input, bytes);
    const input = this.#input;
    const { descriptor } = this.#files[file]!;
    for (let done = 0; done < bytes;) {
      const position = page * this.#pageBytes + done;
      const count = fs.readSync(descriptor, input, done, bytes - done, position);
      if (count === 0) throw new Error('EIO: the file of the warm tier is shorter than it was');
      done += count;
    }
    return input.subarray(0, bytes);
  }

  commit(changes: readonly ExtentChange[]): void {
    // What is removed may make the room that the rest needs, and may be removed again.
    for (const { extent, bytes } of changes) if (bytes === undefined) this.#remove(extent);
    const written: { extent: number; place: Place }[] = [];
    try {
      for (const { extent, bytes } of changes) {
        if (bytes !== undefined) written.push({ extent, place: this.#write(bytes) });
      }
    } catch (error) {
      for (const { place } of written) this.#free(place);
      throw error;
    }
    for (const { extent, place } of written) {
      this.#remove(extent);
      this.#places.set(extent, place);
    }
  }

  #remove(extent: number): void {
    const place = this.#places.get(extent);
    if (place === undefined) return;
    this.#places.delete(extent);
    this.#free(place);
  }

  #free({ file, page, bytes }: Place): void {
    const { pages, descriptor } = this.#files[file]!;
    pages.free(page, this.#pagesOf(bytes));
    if (pages.used > 0) return;
    if (file === this.#files.length - 1) {
      truncate(descriptor, 0);
    } else {
      fs.closeSync(descriptor);
      this.#files[file] = undefined;
    }
  }

  #write(bytes: Bytes): Place {
    const { descriptor, pages } = this.#current;
    const { length, fullBytes } = this.#fillOutput(bytes);
    const count = this.#pagesOf(length);
    const page = pages.take(count);
    try {
      writeWhole(
        descriptor,
        this.#output.subarray(0, count * this.#pageBytes),
        page * this.#pageBytes,
      );
    } catch (error) {
      pages.free(page, count);
      throw error;
    }
    this.writtenBytes += count * this.#pageBytes;
    return { file: this.#files.length - 1, page, bytes: length, fullBytes };
  }

  /** Puts what is to be written into `#output`, up to whole pages: of a page less the system would have to read the rest. */
  #fillOutput(bytes: Bytes): { length: number; fullBytes: number } {
    let stored = bytes;
    if (this.#compresses && bytes.length >= COMPRESSION_BYTES_MIN) {
      this.#packed = roomFor(this.#packed, compressedBytesMax(bytes.length));
      const length = compress(bytes, this.#packed);
      if (this.#pagesOf(length) < this.#pagesOf(bytes.length))
        stored = this.#packed.subarray(0, length);
    }
    const paddedBytes = this.#pagesOf(stored.length) * this.#pageBytes;
    this.#output = roomFor(this.#output, paddedBytes);
    this.#output.set(stored);
    this.#output.fill(0, stored.length, paddedBytes);
    return { length: stored.length, fullBytes: stored === bytes ? 0 : bytes.length };
  }

  #pagesOf(byteCount: number): number {
    return Math.max(1, Math.ceil(byteCount / this.#pageBytes));
  }

  look(): number {
    const { descriptor, pages } = this.#current;
    if (pages.trim()) truncate(descriptor, pages.end * this.#pageBytes);
    try {
      const file = fs.fstatSync(descriptor);
      const named = fs.statSync(path.join(this.#folder, FILE_NAME));
      return named.ino === file.ino && named.dev === file.dev ? file.size : -1;
    } catch {
      return -1;
    }
  }

  renew(): boolean {
    if (this.#files.length > FILES_MAX) return false;
    const parent = path.dirname(this.#folder);
    // Where another disk is mounted now, or none any more, the new file would lie where it was not wanted.
    if (fs.statSync(parent).dev !== fs.fstatSync(this.#current.descriptor).dev) return false;
    // A folder that is there is somebody else's, who took the place of this one.
    fs.mkdirSync(this.#folder);
    const file = this.#newFile();
    const before = this.#current;
    this.#files.push(file);
    if (before.pages.used === 0) {
      fs.closeSync(before.descriptor);
      this.#files[this.#files.length - 2] = undefined;
    }
    return true;
  }

  close(): void {
    for (const file of this.#files) if (file !== undefined) fs.closeSync(file.descriptor);
    this.#files.length = 0;
  }
}

/** Places of extents by their numbers, which lie close to one another. */
class Places {
  #pages = new Uint32Array(EXTENTS_MIN);
  #bytes = new Uint32Array(EXTENTS_MIN);
  #fullBytes = new Uint32Array(EXTENTS_MIN);
  /** Numbers of files; 0 for none. */
  #files = new Uint8Array(EXTENTS_MIN);

  get(extent: number): Place | undefined {
    const file = this.#files[extent] ?? 0;
    if (file === 0) return undefined;
    const page = this.#pages[extent]!;
    return { file, page, bytes: this.#bytes[extent]!, fullBytes: this.#fullBytes[extent]! };
  }

  set(extent: number, { file, page, bytes, fullBytes }: Place): void {
    if (extent >= this.#files.length) this.#grow(extent + 1);
    this.#pages[extent] = page;
    this.#bytes[extent] = bytes;
    this.#fullBytes[extent] = fullBytes;
    this.#files[extent] = file;
  }

  delete(extent: number): void {
    this.#files[extent] = 0;
  }

  #grow(least: number): void {
    const length = Math.max(least, this.#files.length * 2);
    const longer = (old: Uint32Array): Uint32Array<ArrayBuffer> => {
      const words = new Uint32Array(length);
      words.set(old);
      return words;
    };
    this.#pages = longer(this.#pages);
    this.#bytes = longer(this.#bytes);
    this.#fullBytes = longer(this.#fullBytes);
    const files = new Uint8Array(length);
    files.set(this.#files);
    this.#files = files;
  }
}

/** The bytes if they are enough, or others that are; a long one is not kept for what is short. */
function roomFor(kept: Bytes, byteCount: number): Bytes {
  const isWasteful = kept.length > KEPT_BYTES_MAX && byteCount <= KEPT_BYTES_MAX;
  if (kept.length >= byteCount && !isWasteful) return kept;
  return new Uint8Array(Math.max(byteCount, 4 * PAGE_BYTES));
}

function writeWhole(descriptor: number, bytes: Bytes, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += fs.writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}

/** Gives pages back to the disk; one that refuses has them still, and nothing else is lost. */
function truncate(descriptor: number, byteCount: number): void {
  try {
    fs.ftruncateSync(descriptor, byteCount);
  } catch {
    // They are rewritten by later compaction.
  }
}
