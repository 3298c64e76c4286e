/**
 * One instance of the interpreter: its memory, and what every user of Lua's C interface needs from it.
 *
 * Values on a stack are read straight from memory, which the fixed version of the interpreter allows: a call into it
 * costs more than a load.
 *
 * Large because it is all that this package knows of the interpreter's memory and stack: each kind of value is read and
 * pushed by a member of its own, and the areas of memory are fields.
 */

import { assert, copyBytes, latin1 } from '#base';
import { LuaEngineError } from './lua-engine-error.ts';
import { LuaType, type HookFunction, type HostFunction, type LuaApi } from './wasm/api.ts';
import { addEntries, Signature } from './wasm/host-entries.ts';
import { importsFor, type ImportsOwner } from './wasm/imports.ts';
import { interpreterModule } from './wasm/interpreter.ts';
import { IS_STOPPING, READ_ONLY_MESSAGE } from './wasm/adapted.ts';
import { ALLOWS_HOOK, HOOK_COUNT, SEARCHED_LOG2 } from './wasm/interrupts.ts';

const READ_ONLY_TEXT = 'Attempt to modify a readonly table';

/** Offsets in Lua's structures, as they lie in this interpreter. */
export const Layout = {
  stateTop: 8,
  stateBase: 12,
  stateGlobals: 72,
  valueBytes: 16,
  valueType: 8,
  stringLength: 12,
  stringBytes: 16,
  tableMarked: 5,
  tableNodeCountLog2: 7,
  tableArray: 12,
  tableNodes: 16,
  tableArrayCount: 28,
  nodeBytes: 32,
  nodeKey: 16,
} as const;

const OUT_OF_MEMORY = 'not enough memory';
/** Addresses are below this, and so are lengths. */
const POINTER_END = 2 ** 31;
const READ_ONLY_BIT = 0x80;
const SCRATCH_BYTES_MIN = 4_096;
/** Scratch memory that is larger is given back after use. */
const SCRATCH_BYTES_KEPT = 1_048_576;

export class LuaVm implements ImportsOwner {
  readonly api: LuaApi;
  /** Bytes to which the memory may grow. */
  memoryLimitBytes: number;
  /** True when what the interpreter holds is not to be trusted any more. */
  isBroken = false;
  /** Views of the interpreter's memory; recreated when it grows. */
  bytes!: Uint8Array<ArrayBuffer>;
  words!: Int32Array<ArrayBuffer>;
  doubles!: Float64Array<ArrayBuffer>;
  /** Eight bytes for what C functions answer through pointers. */
  readonly cell: number;
  readonly #stopping: { value: number };
  readonly #texts = new Map<string, number>();
  readonly #entries = new Map<HostFunction, number>();
  #scratch = 0;
  #scratchBytes = 0;

  constructor(memoryLimitBytes: number) {
    this.memoryLimitBytes = memoryLimitBytes;
    const { exports } = new WebAssembly.Instance(
      interpreterModule(),
      importsFor(() => this),
    );
    this.api = exports as unknown as LuaApi;
    this.memoryGrew();
    const { api } = this;
    api.emscripten_stack_init();
    api.__wasm_call_ctors();
    this.cell = this.allocate(8);
    this.text(OUT_OF_MEMORY);
    const message = exports[READ_ONLY_MESSAGE] as { value: number };
    message.value = this.text(READ_ONLY_TEXT);
    this.#stopping = exports[IS_STOPPING] as { value: number };
  }

  /** Bytes of the interpreter's memory, which never shrinks. */
  get memoryBytes(): number {
    return this.bytes.length;
  }

  memoryGrew(): void {
    const { buffer } = this.api.memory;
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
  }

  /** Says whether the script that runs is being stopped: then all that calls something is interrupted after it. */
  set isStopping(value: boolean) {
    this.#stopping.value = Number(value);
  }

  /**
   * Calls the hook also in handlers of the error that it raises: otherwise a handler in an endless loop would continue.
   */
  allowHook(L: number): void {
    this.bytes[L + ALLOWS_HOOK] = 1;
  }

  /** Has the hook called behind the function of the host that runs. */
  interruptSoon(L: number): void {
    this.words[(L + HOOK_COUNT) >> 2] = 1;
  }

  /** Called when the interpreter cannot continue, as when it runs out of memory outside of a script. */
  gaveUp(): never {
    this.isBroken = true;
    throw new LuaEngineError('the interpreter has given up, for lack of memory as a rule');
  }

  /** Allocates memory of the interpreter outside of Lua. */
  allocate(bytes: number): number {
    const pointer = this.api.malloc(bytes);
    if (pointer === 0) this.gaveUp();
    return pointer;
  }

  /** Address of a constant text that ends with a NUL byte. */
  text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const pointer = this.allocate(text.length + 1);
    for (let nth = 0; nth < text.length; nth += 1) this.bytes[pointer + nth] = text.charCodeAt(nth);
    this.bytes[pointer + text.length] = 0;
    this.#texts.set(text, pointer);
    return pointer;
  }

  /** Returns memory for `bytes` bytes that is valid until the next call. */
  scratch(L: number, bytes: number): number {
    const tooLarge = this.#scratchBytes > SCRATCH_BYTES_KEPT && bytes <= SCRATCH_BYTES_KEPT;
    if (bytes <= this.#scratchBytes && !tooLarge) return this.#scratch;
    if (this.#scratch !== 0) this.api.free(this.#scratch);
    this.#scratch = 0;
    this.#scratchBytes = 0;
    const roomy = bytes > SCRATCH_BYTES_KEPT ? bytes : bytes + (bytes >> 1);
    const wanted = Math.max(roomy, SCRATCH_BYTES_MIN);
    const pointer = wanted < POINTER_END ? this.api.malloc(wanted) : 0;
    if (pointer === 0) this.outOfMemory(L);
    this.#scratch = pointer;
    this.#scratchBytes = wanted;
    return pointer;
  }

  /** Address of these bytes in the interpreter's memory: their own when they lie there, else that of a copy. */
  located(L: number, source: Uint8Array, at: number, length: number): number {
    if (source.buffer === this.bytes.buffer) return source.byteOffset + at;
    const pointer = this.scratch(L, length);
    copyBytes(source, at, this.bytes, pointer, length);
    return pointer;
  }

  pushBytes(L: number, source: Uint8Array, at: number, length: number): void {
    this.api.lua_pushlstring(L, this.located(L, source, at, length), length);
  }

  /** Pushes a string of which each character is one byte. */
  pushText(L: number, text: string): void {
    const pointer = this.scratch(L, text.length);
    for (let nth = 0; nth < text.length; nth += 1) this.bytes[pointer + nth] = text.charCodeAt(nth);
    this.api.lua_pushlstring(L, pointer, text.length);
  }

  /** Number of arguments of the function that runs. */
  count(L: number): number {
    const state = L >> 2;
    return (this.words[state + 2]! - this.words[state + 3]!) >> 4;
  }

  /** Address of the nth argument, from 1 on; 0 when there are fewer. */
  argument(L: number, nth: number): number {
    const state = L >> 2;
    const address = this.words[state + 3]! + (nth - 1) * Layout.valueBytes;
    return address < this.words[state + 2]! ? address : 0;
  }

  /** Returns the address of the value at the top of the stack, or `below` places under it. */
  top(L: number, below = 0): number {
    return this.words[(L + Layout.stateTop) >> 2]! - (below + 1) * Layout.valueBytes;
  }

  /** Takes values from the top of the stack. */
  pop(L: number, count = 1): void {
    this.words[(L + Layout.stateTop) >> 2]! -= count * Layout.valueBytes;
  }

  typeAt(address: number): number {
    return address === 0 ? LuaType.None : this.words[(address + Layout.valueType) >> 2]!;
  }

  /** Address of the object that the value at an address refers to. */
  objectAt(address: number): number {
    return this.words[address >> 2]!;
  }

  numberAt(address: number): number {
    return this.doubles[address >> 3]!;
  }

  booleanAt(address: number): boolean {
    return this.words[address >> 2] !== 0;
  }

  /** Length of a string, by the address of its object. */
  lengthOf(object: number): number {
    return this.words[(object + Layout.stringLength) >> 2]!;
  }

  /** Text of a string, one character for each byte, by the address of its object. */
  textOf(object: number): string {
    return this.textAt(object + Layout.stringBytes, this.lengthOf(object));
  }

  textAt(at: number, length: number): string {
    return latin1(this.bytes, at, length);
  }

  /** Text that ends with a NUL byte. */
  cText(at: number): string {
    return this.textAt(at, this.bytes.indexOf(0, at) - at);
  }

  /** Text of the value at the top if it is a string or a number, which stays there. */
  topText(L: number): string | undefined {
    const { api } = this;
    const pointer = api.lua_tolstring(L, -1, this.cell);
    return pointer === 0 ? undefined : this.textAt(pointer, this.words[this.cell >> 2]!);
  }

  /** Makes functions known to the interpreter, all at once, since each time a module is compiled. */
  register(functions: readonly HostFunction[]): void {
    const added = functions.filter((one) => !this.#entries.has(one));
    const charged = added.map((one) => this.#charged(one));
    const first = addEntries(this.api.__indirect_function_table, charged, Signature.Function);
    added.forEach((one, nth) => this.#entries.set(one, first + nth));
  }

  /** A function that takes instructions off the count of those before the hook, by the length of its first argument. */
  #charged(one: HostFunction): HostFunction {
    return (L) => {
      const first = this.argument(L, 1);
      if (
        first < this.words[(L + Layout.stateTop) >> 2]! &&
        this.typeAt(first) === LuaType.String
      ) {
        const cost =
          this.words[(this.objectAt(first) + Layout.stringLength) >> 2]! >> SEARCHED_LOG2;
        const count = (L + HOOK_COUNT) >> 2;
        if (cost > 0) this.words[count] = Math.max(1, this.words[count]! - cost);
      }
      return one(L);
    };
  }

  /** Entry of a function that has been registered. */
  entryOf(one: HostFunction): number {
    const entry = this.#entries.get(one);
    assert(entry !== undefined, 'the function is registered');
    return entry;
  }

  pushFunction(L: number, one: HostFunction): void {
    this.api.lua_pushcclosure(L, this.entryOf(one), 0);
  }

  /** Sets a field of the table below the top to the value at the top, and takes that. */
  setField(L: number, name: string): void {
    this.api.lua_setfield(L, -2, this.text(name));
  }

  registerHook(hook: HookFunction): number {
    return addEntries(this.api.__indirect_function_table, [hook], Signature.Hook);
  }

  /** Forbids or allows changes of the table at an index of the stack. */
  setReadOnly(L: number, index: number, isReadOnly: boolean): void {
    const at = this.api.lua_topointer(L, index) + Layout.tableMarked;
    const marked = this.bytes[at]! & ~READ_ONLY_BIT;
    this.bytes[at] = isReadOnly ? marked | READ_ONLY_BIT : marked;
  }

  isReadOnly(L: number, index: number): boolean {
    return this.isReadOnlyTable(this.api.lua_topointer(L, index));
  }

  /** True when the table at this address is read-only. */
  isReadOnlyTable(table: number): boolean {
    return (this.bytes[table + Layout.tableMarked]! & READ_ONLY_BIT) !== 0;
  }

  /** Raises an error of Lua with the place in the script in front, as `luaL_error` does. */
  error(L: number, message: string): never {
    this.api.luaL_where(L, 1);
    this.pushText(L, message);
    this.api.lua_concat(L, 2);
    this.raise(L);
  }

  /** Raises an error about an argument. */
  argumentError(L: number, argument: number, message: string): never {
    this.pushText(L, `${message}\0`);
    this.api.luaL_argerror(L, argument, this.api.lua_tolstring(L, -1, 0));
    throw new LuaEngineError('an error about an argument has not been raised');
  }

  /** Raises the error that memory is lacking, which takes none. */
  outOfMemory(L: number): never {
    this.api.lua_pushlstring(L, this.text(OUT_OF_MEMORY), OUT_OF_MEMORY.length);
    this.raise(L);
  }

  /** Raises the value at the top of the stack as an error. */
  raise(L: number): never {
    this.api.lua_error(L);
    throw new LuaEngineError('an error has not been raised');
  }
}
