/** Functions that the interpreter imports: all that it can do beyond its own memory. */

import { systemClock } from '#base';
import type { LuaApi } from './api.ts';

const PAGE_BYTES = 65_536;
/** Memory grows by an eighth at least, so that it is not grown for each of many small requests. */
const GROWTH_SHARE = 8;
/** Answer of system calls that a script may not have: there are no files and no processes for it. */
const ENOSYS = -52;
/** ENOSYS of WASI functions. */
const WASI_ENOSYS = 52;

/** Thrown for a `longjmp`: one object without a stack trace, so that an error in Lua costs little. */
const LONGJMP: unknown = Object.freeze({ longjmp: true });

/** Owner of the memory, which imports need once the interpreter runs. */
export interface ImportsOwner {
  readonly api: LuaApi;
  readonly memoryLimitBytes: number;
  /** Called when the interpreter gives up. */
  gaveUp(): never;
  /** Called when the memory has grown: views of it must be recreated. */
  memoryGrew(): void;
}

/** Makes the import object; `owner` is asked for the interpreter only after it has been instantiated. */
export function importsFor(owner: () => ImportsOwner): Record<string, Record<string, unknown>> {
  const refuse = (): number => ENOSYS;
  const refuseWasi = (): number => WASI_ENOSYS;
  const nothing = (): number => 0;
  const system = ['__syscall_openat', '__syscall_fcntl64', '__syscall_ioctl', '__syscall_dup3'];
  const files = ['__syscall_unlinkat', '__syscall_rmdir', '__syscall_renameat'];
  const refused = [...system, ...files, '__syscall_readlinkat', '_mktime_js', '_emscripten_system'];
  const empty = ['_tzset_js', '_localtime_js', '_gmtime_js', 'strftime'];
  const wasi = ['fd_write', 'fd_read', 'fd_close', 'fd_seek', 'environ_sizes_get', 'environ_get'];
  const env: Record<string, unknown> = {
    ...Object.fromEntries(refused.map((name) => [name, refuse])),
    ...Object.fromEntries(empty.map((name) => [name, nothing])),
    exit: (): never => owner().gaveUp(),
    invoke_vii: invoker(owner),
    emscripten_memcpy_js: (target: number, source: number, length: number): void => {
      new Uint8Array(owner().api.memory.buffer).copyWithin(target, source, source + length);
    },
    emscripten_date_now: () => systemClock.wallMs(),
    _emscripten_get_now_is_monotonic: nothing,
    emscripten_resize_heap: (bytes: number) => grow(owner(), bytes >>> 0),
    _emscripten_throw_longjmp: (): never => {
      throw LONGJMP;
    },
  };
  return {
    env,
    wasi_snapshot_preview1: Object.fromEntries(wasi.map((name) => [name, refuseWasi])),
  };
}

/** Makes what calls a function of the interpreter that may end by `longjmp`. */
function invoker(owner: () => ImportsOwner) {
  return (entry: number, first: number, second: number): void => {
    const { api } = owner();
    const stack = api.stackSave();
    const target = api.__indirect_function_table.get(entry) as (a: number, b: number) => void;
    try {
      target(first, second);
    } catch (error) {
      if (error !== LONGJMP) throw error;
      api.stackRestore(stack);
      api.setThrew(1, 0);
    }
  };
}

/** Grows the memory to `bytes` bytes; returns 0 if that exceeds the limit of the engine. */
function grow(owner: ImportsOwner, bytes: number): number {
  const { memory } = owner.api;
  const has = memory.buffer.byteLength;
  if (bytes > owner.memoryLimitBytes) return 0;
  const wanted = Math.min(Math.max(bytes, has + has / GROWTH_SHARE), owner.memoryLimitBytes);
  const pages = Math.ceil((bytes > wanted ? bytes : wanted) / PAGE_BYTES) - has / PAGE_BYTES;
  try {
    memory.grow(pages);
  } catch {
    return 0;
  }
  owner.memoryGrew();
  return 1;
}
