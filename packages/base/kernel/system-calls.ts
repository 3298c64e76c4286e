/**
 * System calls of Linux on sockets, epoll and eventfd, and libuv's loop and V8's isolate of this thread, through koffi.
 *
 * Every call returns what the C function returns: -1 after an error, whose number `errno` then has. Memory is passed as a
 * view, or by its address where a call is so frequent that looking it up each time would cost more than the call's own
 * arguments (0.17 us of 0.74). Sources: socket(7), epoll(7), eventfd(2), and the guide of libuv 1.x.
 */

import type Koffi from 'koffi';
import type { Bytes } from '../bytes/byte-array.ts';
import { assert } from '../errors/assert.ts';

/** Address of memory in this process. */
export type Address = number;

/** Flags of descriptors, which `socket`, `accept4`, `epoll_create1` and `eventfd` share. */
export const NOT_BLOCKING = 0o4000;
export const CLOSE_ON_EXEC = 0o2_000_000;

export interface SystemCalls {
  socket(family: number, type: number, protocol: number): number;
  bind(fd: number, address: Bytes, byteCount: number): number;
  listen(fd: number, backlog: number): number;
  /** `byteCount` is 4 bytes: the room in `address` before the call, the length of what was written after it. */
  accept4(fd: number, address: Bytes, byteCount: Bytes, flags: number): number;
  getsockname(fd: number, address: Bytes, byteCount: Bytes): number;
  setsockopt(fd: number, level: number, option: number, value: Bytes, byteCount: number): number;
  recv(fd: number, at: Address, byteCount: number, flags: number): number;
  send(fd: number, at: Address, byteCount: number, flags: number): number;
  sendto(
    fd: number,
    data: Bytes,
    byteCount: number,
    flags: number,
    address: Bytes,
    addressByteCount: number,
  ): number;
  shutdown(fd: number, how: number): number;
  close(fd: number): number;
  epoll_create1(flags: number): number;
  epoll_ctl(set: number, operation: number, fd: number, event: Address): number;
  epoll_wait(set: number, events: Address, countMax: number, timeoutMs: number): number;
  eventfd(value: number, flags: number): number;
  inet_pton(family: number, text: string, address: Bytes): number;
  /** Returns the text; null after an error. */
  inet_ntop(family: number, address: Bytes, text: Bytes, byteCount: number): string | null;
  /** Number of the error of the last call that failed. */
  errno(): number;
  /** Address of memory outside of V8's heap, which stays where it is while the view lives. */
  readonly addressOf: (bytes: Bytes) => Address;
}

/** libuv's loop of the thread that asked for it. */
export interface LibuvLoop {
  /** Descriptor that is readable while the loop has events to take. */
  readonly descriptor: number;
  /**
   * Milliseconds until the loop's next timer is due by its own clock; 0 while it has anything to do at once or nothing
   * is left that keeps it alive, -1 without a timer.
   */
  timeoutMs(): number;
  /** Sets the loop's clock, which otherwise stands while a callback of it runs. */
  updateTime(): void;
}

type Library = ReturnType<(typeof Koffi)['load']>;

/** Loads what the process has loaded: the C library, and what Node exports. Rejects as `loadSystemCalls` does. */
async function loadLibrary(): Promise<{ koffi: typeof Koffi; library: Library }> {
  if (process.platform !== 'linux') throw new Error('this is not Linux');
  const { default: koffi } = await import('koffi');
  return { koffi, library: koffi.load(null) };
}

/** Makes the function that finds an address: a copy of no bytes returns where it was to go. */
function addressFinder(library: Library): SystemCalls['addressOf'] {
  const identity = library.func('uint64 memmove(void* to, void* from, uint64 byteCount)') as (
    to: Bytes,
    from: Bytes,
    byteCount: number,
  ) => number | bigint;
  return (bytes) => Number(identity(bytes, bytes, 0));
}

/** Loads the calls. Rejects on other systems, and where the optional package koffi is not installed. */
export async function loadSystemCalls(): Promise<SystemCalls> {
  const { koffi, library } = await loadLibrary();
  const call = (declaration: string): never => library.func(declaration) as never;
  return {
    socket: call('int socket(int family, int type, int protocol)'),
    bind: call('int bind(int fd, void* address, int byteCount)'),
    listen: call('int listen(int fd, int backlog)'),
    accept4: call('int accept4(int fd, void* address, void* byteCount, int flags)'),
    getsockname: call('int getsockname(int fd, void* address, void* byteCount)'),
    setsockopt: call('int setsockopt(int fd, int level, int option, void* value, int byteCount)'),
    // Lengths are below 2^31 (an `int` is converted faster than what may be a BigInt).
    recv: call('int recv(int fd, uint64 at, uint64 byteCount, int flags)'),
    send: call('int send(int fd, uint64 at, uint64 byteCount, int flags)'),
    sendto: call(
      'int sendto(int fd, void* data, uint64 byteCount, int flags, void* address, int addressByteCount)',
    ),
    shutdown: call('int shutdown(int fd, int how)'),
    close: call('int close(int fd)'),
    epoll_create1: call('int epoll_create1(int flags)'),
    epoll_ctl: call('int epoll_ctl(int set, int operation, int fd, uint64 event)'),
    epoll_wait: call('int epoll_wait(int set, uint64 events, int countMax, int timeoutMs)'),
    eventfd: call('int eventfd(uint32 value, int flags)'),
    inet_pton: call('int inet_pton(int family, str text, void* address)'),
    inet_ntop: call('str inet_ntop(int family, void* address, void* text, uint32 byteCount)'),
    errno: () => koffi.errno(),
    addressOf: addressFinder(library),
  };
}

/** Calls about the part of V8 that belongs to the thread that asked for them. */
interface IsolateCalls {
  /**
   * Takes bytes outside of its heap out of those that V8 counts as held by its objects. They cannot be put back: more bytes
   * may begin a collection, which would search the stack of koffi's calls for pointers, and run beyond its end (SIGSEGV).
   */
  hideExternalBytes(byteCount: number): void;
}

/** Finds V8's isolate of this thread. Rejects as `loadSystemCalls` does, and where Node does not export the call. */
export async function loadIsolateCalls(): Promise<IsolateCalls> {
  const { koffi, library } = await loadLibrary();
  const isolate = isolateOf(koffi, library);
  const adjust = library.func(
    'int64 _ZN2v87Isolate37AdjustAmountOfExternalAllocatedMemoryEl(uint64 isolate, int64 by)',
  ) as (at: Address, by: number) => number;
  return {
    hideExternalBytes: (byteCount) => {
      assert(byteCount >= 0, 'bytes are hidden');
      adjust(isolate, -byteCount);
    },
  };
}

/** Address of V8's isolate of this thread. */
function isolateOf(koffi: typeof Koffi, library: Library): Address {
  const current = library.func('void* _ZN2v87Isolate10GetCurrentEv()') as () => object;
  return Number(koffi.address(current()));
}

/**
 * Finds the loop of this thread, which Node exports to addons (`node::GetCurrentEventLoop`). Rejects where it does not.
 */
export async function loadLibuvLoop(): Promise<LibuvLoop> {
  const { koffi, library } = await loadLibrary();
  const loopOf = library.func('void* _ZN4node19GetCurrentEventLoopEPN2v87IsolateE(uint64)') as (
    isolate: Address,
  ) => object | null;
  const pointer = loopOf(isolateOf(koffi, library));
  if (pointer === null) throw new Error('this thread has no event loop');
  const loop = Number(koffi.address(pointer));
  const timeout = library.func('int uv_backend_timeout(uint64 loop)') as (at: Address) => number;
  const update = library.func('void uv_update_time(uint64 loop)') as (at: Address) => void;
  const descriptorOf = library.func('int uv_backend_fd(uint64 loop)') as (at: Address) => number;
  return {
    descriptor: descriptorOf(loop),
    timeoutMs: () => timeout(loop),
    updateTime: () => {
      update(loop);
    },
  };
}

/** Sleeping on a word of memory, and waking who sleeps there, by the kernel. Source: futex(2). */
export interface Futex {
  /** Sleeps while the word at an address has a value, for that many milliseconds at most; it may return early. */
  wait(at: Address, value: number, timeoutMs: number): void;
  /** Wakes all that sleep on the word. */
  wake(at: Address): void;
  readonly addressOf: SystemCalls['addressOf'];
}

/** Number of the system call, which differs between processors; undefined on those that Node is not built for here. */
const FUTEX_NUMBER: Readonly<Partial<Record<NodeJS.Architecture, number>>> = {
  x64: 202,
  arm64: 98,
};
/** Operations on memory that no other process has. */
const FUTEX_WAIT = 128;
const FUTEX_WAKE = 129;
const ALL_SLEEPERS = 2 ** 31 - 1;

/** Loads the calls. Rejects as `loadSystemCalls` does, and on processors other than x64 and arm64. */
export async function loadFutex(): Promise<Futex> {
  const number = FUTEX_NUMBER[process.arch];
  if (number === undefined) throw new Error(`the futex of ${process.arch} is not known`);
  const { library } = await loadLibrary();
  const addressOf = addressFinder(library);
  const call = library.func(
    'int64 syscall(int64 number, uint64 at, int operation, int value, uint64 timeout)',
  ) as (number: number, at: Address, operation: number, value: number, timeout: Address) => number;
  // Seconds and nanoseconds, of 64 bits each.
  const timeout = new Int32Array(4);
  const timeoutAt = addressOf(new Uint8Array(timeout.buffer));
  return {
    wait: (at, value, timeoutMs) => {
      const isForEver = timeoutMs >= 2 ** 31;
      timeout[0] = Math.floor(timeoutMs / 1_000);
      timeout[2] = Math.floor((timeoutMs % 1_000) * 1_000_000);
      call(number, at, FUTEX_WAIT, value, isForEver ? 0 : timeoutAt);
    },
    wake: (at) => {
      call(number, at, FUTEX_WAKE, ALL_SLEEPERS, 0);
    },
    addressOf,
  };
}

/** Adds 1 to an eventfd, which makes it readable. */
export type Signal = (descriptor: number) => void;

/** Loads the call that signals an eventfd. Rejects as `loadSystemCalls` does. */
export async function loadSignal(): Promise<Signal> {
  const { library } = await loadLibrary();
  const write = library.func('int write(int fd, void* value, uint64 byteCount)') as (
    fd: number,
    value: Bytes,
    byteCount: number,
  ) => number;
  const one = new Uint8Array(new BigUint64Array([1n]).buffer);
  return (descriptor) => {
    write(descriptor, one, one.length);
  };
}
