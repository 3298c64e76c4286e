/**
 * The warm tier as a store sees it: which values are there, and those that commands have at hand for now.
 *
 * The record of a warm value keeps its type, encoding, clock and expiry, the size of the value, and a number: the
 * extent that the value is in, and its place there. A command that needs the value gets a loan of it; the record stays warm
 * until `settle` decides whether the value comes back. So a reference to a record stays good while its value is used.
 *
 * Large because spilling, fetching, settling and compacting share the numbers of values and of extents, and a change of
 * one of them has to see all reads and holds that are under way.
 */
import { assert, type Bytes, ChurnMap, type CommandError, errors } from '#base';
import type { StoreCounter } from '#quantities';
import { ExtentTable } from './extent-table.ts';
import { entryBytes, ExtentWriter, NTH_BITS, type EntryHead } from './extent.ts';
import { nameLoan, type Loan } from './loan.ts';

const NTH_MASK = (1 << NTH_BITS) - 1;

/** The way to the disk. */
export interface WarmOutlet {
  /** Gives an extent to be written; false when too much is under way. The bytes are good until it returns. */
  put(extent: number, bytes: Bytes): boolean;
  /** An extent is no more needed. */
  drop(extent: number): void;
  /** Blocks until the disk has written something, or for `timeoutMs`. */
  waitForRoom(timeoutMs: number): void;
  /** The disk takes nothing, or cannot be read. */
  readonly isFailing: boolean;
  /** Reads the entry of a value, after all earlier puts, and blocks until it is read. Returns an error if there is none. */
  read(number: number): Bytes | CommandError;
}

/** Connections of a tier to its environment. */
export interface WarmWays {
  /** Undefined where there is no tier. */
  readonly outlet?: WarmOutlet | undefined;
  /** Reads the entry of a value and passes it to `take`. */
  readonly fetch?: (number: number, take: (entry: Bytes | CommandError) => void) => void;
  /** True while another shard, which has the same limit, may still spill. */
  readonly othersMaySpill?: () => boolean;
  /** True while what is done to loans may change them. */
  readonly isWriting?: () => boolean;
}

/** Counts of the store that the tier is a part of. */
interface TierCounts {
  add(counter: StoreCounter, amount: number): void;
}

export class WarmTier {
  /** Undefined where there is no tier. */
  outlet: WarmOutlet | undefined;
  /** Reads the entry of a value and passes it to `take`; synchronously if there is no other way. */
  fetch: (number: number, take: (entry: Bytes | CommandError) => void) => void = (number, take) => {
    take(this.entryNow(number));
  };
  /** Values may be spilled. */
  isOn = false;
  /** Shorter values stay in memory. */
  bytesMin = 64;
  /** Bytes that extents may take; 0 without a limit. */
  bytesMax = 0;
  /** Keys are evicted when the tier is full, too; else writes are refused. */
  evictsWhenFull = true;
  /** Uses, as the LFU policies count them, of the values that were spilled of late: about the least that are kept. */
  victimFrequency = 0;
  /** Memory is over its limit, and no value here can be spilled. */
  isExhausted = false;
  /** True while another shard, which has the same limit, may still spill: then no key is evicted. */
  othersMaySpill: () => boolean = () => false;
  /** True while what is done to loans may change them. */
  isWriting: () => boolean = () => true;
  readonly extents = new ExtentTable();
  readonly counts: TierCounts;
  /** Number of keys whose values are in the tier. */
  keyCount = 0;
  /** Lent values, by number. */
  readonly loans = new ChurnMap<number, Loan>();
  /** Names of keys whose values were spilled under another one. */
  readonly #renamed = new Map<number, Bytes>();
  /** The extent that values of an owner go to. */
  readonly #open = new Map<number, ExtentWriter>();
  /** Extents that are full and that the disk has had no room for. */
  readonly #sealed: ExtentWriter[] = [];
  /** Written extents of which half or less is in use. */
  readonly sparse = new Set<number>();
  #owners = 0;
  /** Removed extents stay readable while somebody holds them all, or reads them. */
  #holds = 0;
  readonly #removed = new Set<number>();
  /** Values that two records have for now. */
  readonly #shared = new Set<number>();
  /** Reads under way, by extent. */
  readonly #reads = new ChurnMap<number, number>();
  /** Values that were released while their extents were read. */
  readonly #releasedWhileRead = new Set<number>();

  constructor(counts: TierCounts) {
    this.counts = counts;
  }

  /** Connects the tier to its environment; absent ways stay unchanged. */
  connect(ways: WarmWays): void {
    const { outlet, fetch, othersMaySpill, isWriting } = ways;
    this.outlet = outlet;
    if (fetch !== undefined) this.fetch = fetch;
    if (othersMaySpill !== undefined) this.othersMaySpill = othersMaySpill;
    if (isWriting !== undefined) this.isWriting = isWriting;
  }

  /** A number for the contents of a database, by which its extents know it. */
  register(): number {
    this.#owners += 1;
    return this.#owners;
  }

  /** The contents of a database are dropped, with all their values. */
  forget(owner: number): void {
    const open = this.#open.get(owner);
    // Who holds it may have still to read it.
    if (open !== undefined && this.#holds > 0) this.#seal(owner, open);
    this.#open.delete(owner);
    const { extents } = this;
    for (let extent = 0; extent < extents.end; extent += 1) {
      if (extents.owner(extent) !== owner || this.#removed.has(extent)) continue;
      this.keyCount -= extents.live(extent);
      this.#remove(extent);
    }
    for (const [number, loan] of this.loans) if (loan.owner === owner) this.loans.delete(number);
  }

  /** The number of a value of which an entry was added; -1 when there is no room for it now. */
  add(
    owner: number,
    head: EntryHead,
    key: { readonly bytes: Bytes; readonly at: number; readonly length: number },
    write: (target: Bytes, at: number) => void,
  ): number {
    const byteCount = entryBytes(key.length, head.valueLength);
    const writer = this.#writerFor(owner, byteCount);
    if (writer === undefined) return -1;
    const nth = writer.add(head, key, write);
    this.extents.added(writer.extent);
    this.keyCount += 1;
    this.counts.add('tierSpilledBytes', byteCount);
    return ((writer.extent << NTH_BITS) | nth) >>> 0;
  }

  #writerFor(owner: number, byteCount: number): ExtentWriter | undefined {
    const open = this.#open.get(owner);
    if (open?.fits(byteCount) === true) return open;
    if (!this.#flush() || (open !== undefined && !this.#seal(owner, open))) return undefined;
    if (this.extents.isFull) return undefined;
    const writer = new ExtentWriter(this.extents.take(owner), byteCount);
    this.#open.set(owner, writer);
    return writer;
  }

  /** True when no extent waits for room on its way to the disk. */
  get isFlowing(): boolean {
    return this.#flush();
  }

  #flush(): boolean {
    for (let first = this.#sealed[0]; first !== undefined; first = this.#sealed[0]) {
      if (this.extents.owner(first.extent) !== 0 && !this.#put(first)) return false;
      this.#sealed.shift();
    }
    return true;
  }

  /** Gives away a full extent; false when that has to wait. */
  #seal(owner: number, writer: ExtentWriter): boolean {
    this.#open.delete(owner);
    if (this.extents.live(writer.extent) === 0) {
      this.#remove(writer.extent);
      return true;
    }
    this.extents.sealed(writer.extent, writer.finish().length);
    this.#judge(writer.extent);
    if (this.#put(writer)) return true;
    this.#sealed.push(writer);
    return false;
  }

  #put(writer: ExtentWriter): boolean {
    return this.outlet?.put(writer.extent, writer.finish()) === true;
  }

  /** Returns a copy of a value's entry that is not written to disk yet; undefined if it is. */
  unwritten(number: number): Bytes | undefined {
    const extent = extentOf(number);
    const open = this.#open.get(this.extents.owner(extent));
    const writer =
      open?.extent === extent ? open : this.#sealed.find((one) => one.extent === extent);
    // A copy, since the caller may write to it.
    return writer?.entry(number & NTH_MASK).slice();
  }

  /** Reads the entry of a value; the shard blocks meanwhile. */
  entryNow(number: number): Bytes | CommandError {
    const unwritten = this.unwritten(number);
    if (unwritten !== undefined) return unwritten;
    this.counts.add('tierWaits', 1);
    return this.outlet?.read(number) ?? errors.noWarmTier;
  }

  /** Called when a record no longer uses a value. */
  release(number: number): void {
    if (!this.#shared.delete(number)) {
      // The number may soon be that of another value.
      this.loans.delete(number);
      if (this.#reads.has(extentOf(number))) this.#releasedWhileRead.add(number);
    }
    this.renumber(number);
  }

  /** Called when a value of an extent is dead: removes the extent if none is left in use, or checks if it is sparse. */
  move(number: number): void {
    const extent = extentOf(number);
    if (this.extents.lost(extent) > 0) this.#judge(extent);
    else if (this.extents.bytes(extent) > 0) this.#remove(extent);
  }

  /** The value is used by one record more, until that of its old name goes. */
  retain(number: number): void {
    this.#shared.add(number);
    this.extents.regained(extentOf(number));
    this.keyCount += 1;
  }

  /** Called when a record uses this number no longer: the value is released, or was moved to another number. */
  renumber(number: number): void {
    // It is written under the name that its key has now.
    this.#renamed.delete(number);
    this.keyCount -= 1;
    this.move(number);
  }

  #judge(extent: number): void {
    if (this.extents.bytes(extent) > 0 && this.extents.share(extent) <= SPARSE_SHARE) {
      this.sparse.add(extent);
    }
  }

  #remove(extent: number): void {
    this.sparse.delete(extent);
    const isOpen = this.extents.bytes(extent) === 0;
    this.extents.emptied(extent);
    if (isOpen) {
      this.extents.give(extent);
      return;
    }
    this.#removed.add(extent);
    this.#dropUnread(extent);
  }

  #dropUnread(extent: number): void {
    if (this.#holds > 0 || this.#reads.has(extent)) return;
    this.#removed.delete(extent);
    const nth = this.#sealed.findIndex((writer) => writer.extent === extent);
    if (nth >= 0) this.#sealed.splice(nth, 1);
    else this.outlet?.drop(extent);
    this.extents.give(extent);
  }

  /** Keeps all extents readable until `letGo`, even if the keys of their values are removed. */
  hold(): void {
    this.#holds += 1;
  }

  letGo(): void {
    assert(this.#holds > 0, 'extents are held before they are released');
    this.#holds -= 1;
    if (this.#holds === 0) for (const extent of this.#removed) this.#dropUnread(extent);
  }

  /** An extent, or a value of it, is being read: until `endRead` no other extent gets its number. */
  beginRead(extent: number): void {
    this.#reads.set(extent, (this.#reads.get(extent) ?? 0) + 1);
  }

  endRead(extent: number): void {
    const others = this.#reads.get(extent)! - 1;
    if (others > 0) {
      this.#reads.set(extent, others);
      return;
    }
    this.#reads.delete(extent);
    for (const number of this.#releasedWhileRead) {
      if (extentOf(number) === extent) this.#releasedWhileRead.delete(number);
    }
    if (this.#removed.has(extent)) this.#dropUnread(extent);
  }

  /** True when a value that is being read is no more in use. */
  isReleased(number: number): boolean {
    return this.#removed.has(extentOf(number)) || this.#releasedWhileRead.has(number);
  }

  /** The key of a value has another name than it was spilled under. */
  rename(number: number, key: Bytes): void {
    this.#renamed.set(number, key);
    const loan = this.loans.get(number);
    if (loan !== undefined) nameLoan(loan, key);
  }

  /** The name that the key of a value has been given since it was spilled. */
  nameOf(number: number): Bytes | undefined {
    return this.#renamed.get(number);
  }

  /** True when there is no room for more values. */
  get isFull(): boolean {
    return this.bytesMax > 0 && this.extents.byteCount >= this.bytesMax;
  }

  get isFailing(): boolean {
    return this.outlet?.isFailing === true;
  }

  /** True when values may be spilled, though perhaps not at once. */
  get canTakeMore(): boolean {
    return this.isOn && !this.isFull && !this.isFailing;
  }

  /** Bytes of extents that no value in use takes. */
  get deadBytes(): number {
    return Math.max(0, this.extents.byteCount - this.extents.liveBytes);
  }
}

/** Fraction of values in use up to which an extent is worth rewriting. */
const SPARSE_SHARE = 0.5;

export function extentOf(number: number): number {
  return number >>> NTH_BITS;
}

/** Place of a value in its extent. */
export function nthOf(number: number): number {
  return number & NTH_MASK;
}
