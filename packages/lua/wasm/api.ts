/** Functions of Lua's C interface that the interpreter exports, as far as they are called. */

/** Pseudo-index of the table that C code alone can reach. */
export const REGISTRY_INDEX = -10_000;
/** Pseudo-index of a state's table of globals. */
export const GLOBALS_INDEX = -10_002;
/** Number of results that says: all of them. */
export const ALL_RESULTS = -1;

/** Pseudo-index of the nth value that a C function was made with, from 1 on. */
export function upvalueIndex(nth: number): number {
  return GLOBALS_INDEX - nth;
}

/** Types of values. */
export const LuaType = {
  None: -1,
  Nil: 0,
  Boolean: 1,
  LightUserdata: 2,
  Number: 3,
  String: 4,
  Table: 5,
  Function: 6,
  Userdata: 7,
  Thread: 8,
} as const;

/** Results of `lua_pcall` and `luaL_loadbuffer`. */
export const LuaStatus = {
  Ok: 0,
  RuntimeError: 2,
  SyntaxError: 3,
  MemoryError: 4,
  HandlerError: 5,
} as const;

/** Operations of `lua_gc`. */
export const LuaGc = { Collect: 2, Count: 3, CountRest: 4, Step: 5 } as const;

/** Events for which `lua_sethook` has a hook called. */
export const HookMask = { None: 0, Line: 4, Count: 8 } as const;

/** Memory of the interpreter. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Exports of the interpreter, by the names of Lua's C interface. */
export interface LuaApi {
  readonly memory: WasmMemory;
  readonly __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  emscripten_stack_init(): void;
  setThrew(threw: number, value: number): void;
  stackSave(): number;
  stackRestore(pointer: number): void;
  malloc(bytes: number): number;
  free(pointer: number): void;

  luaL_newstate(): number;
  lua_close(L: number): void;
  readonly luaopen_base: HostFunction;
  readonly luaopen_table: HostFunction;
  readonly luaopen_string: HostFunction;
  readonly luaopen_math: HostFunction;

  lua_gettop(L: number): number;
  lua_settop(L: number, index: number): void;
  lua_pushvalue(L: number, index: number): void;
  lua_remove(L: number, index: number): void;
  lua_insert(L: number, index: number): void;
  lua_replace(L: number, index: number): void;
  lua_checkstack(L: number, slots: number): number;

  lua_type(L: number, index: number): number;
  lua_isnumber(L: number, index: number): number;
  lua_isstring(L: number, index: number): number;
  lua_tonumber(L: number, index: number): number;
  lua_tointeger(L: number, index: number): number;
  lua_toboolean(L: number, index: number): number;
  lua_tolstring(L: number, index: number, length: number): number;
  lua_objlen(L: number, index: number): number;
  lua_tocfunction(L: number, index: number): number;
  lua_touserdata(L: number, index: number): number;
  lua_topointer(L: number, index: number): number;

  lua_pushnil(L: number): void;
  lua_pushnumber(L: number, value: number): void;
  lua_pushboolean(L: number, value: number): void;
  lua_pushlstring(L: number, pointer: number, length: number): void;
  lua_pushcclosure(L: number, entry: number, upvalues: number): void;
  lua_pushlightuserdata(L: number, pointer: number): void;
  lua_newuserdata(L: number, bytes: number): number;

  lua_createtable(L: number, arrayCount: number, hashCount: number): void;
  lua_gettable(L: number, index: number): void;
  lua_settable(L: number, index: number): void;
  lua_rawget(L: number, index: number): void;
  lua_rawset(L: number, index: number): void;
  lua_rawgeti(L: number, index: number, nth: number): void;
  lua_rawseti(L: number, index: number, nth: number): void;
  lua_getfield(L: number, index: number, name: number): void;
  lua_setfield(L: number, index: number, name: number): void;
  lua_next(L: number, index: number): number;
  lua_getmetatable(L: number, index: number): number;
  lua_setmetatable(L: number, index: number): number;
  lua_concat(L: number, count: number): void;

  lua_call(L: number, args: number, results: number): void;
  lua_pcall(L: number, args: number, results: number, handler: number): number;
  lua_error(L: number): number;
  lua_gc(L: number, what: number, data: number): number;
  lua_sethook(L: number, entry: number, mask: number, count: number): number;
  lua_getstack(L: number, level: number, activation: number): number;
  lua_getinfo(L: number, what: number, activation: number): number;

  luaL_loadbuffer(L: number, text: number, length: number, name: number): number;
  luaL_ref(L: number, table: number): number;
  luaL_unref(L: number, table: number, ref: number): void;
  luaL_where(L: number, level: number): void;
  luaL_argerror(L: number, argument: number, message: number): number;
  luaL_typerror(L: number, argument: number, typeName: number): number;
  luaL_checklstring(L: number, argument: number, length: number): number;
  luaL_checknumber(L: number, argument: number): number;
  luaL_checkinteger(L: number, argument: number): number;
  luaL_optinteger(L: number, argument: number, otherwise: number): number;
  luaL_checkstack(L: number, slots: number, message: number): void;
}

/** C function written here: takes its arguments from the state's stack, pushes results and returns their number. */
export type HostFunction = (L: number) => number;
/** Called by the interpreter at lines or after a number of instructions. */
export type HookFunction = (L: number, activation: number) => void;
