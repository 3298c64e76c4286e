/**
 * Libraries of functions in a shard: by name, with the code that they were loaded from. A new engine gets them again when a
 * function is called.
 */

import { systemClock, unreachable } from '#base';
import {
  isFunctionName,
  isScriptFlag,
  type LibraryDetails,
  libraryShebang,
  type RestorePolicy,
  scriptErrors,
  type ScriptFlagName,
} from '#commands';
import { type HostFunction, type LuaEngine, LuaType, REGISTRY_INDEX } from '#lua';
import { logFunction } from './script-functions.ts';

const CHUNK_NAME = '@user_function';
/** Maximum load time of a library in milliseconds, as in Redis. */
const LOAD_MS_MAX = 500;

export interface LoadedFunction {
  readonly name: string;
  /** Name of its library, and the bytes of that. */
  readonly library: string;
  readonly libraryBytes: number;
  readonly description: string | undefined;
  readonly flags: ReadonlySet<ScriptFlagName>;
  /** Reference in the engine. */
  readonly ref: number;
}

interface Library {
  readonly name: string;
  readonly code: string;
  readonly functions: Map<string, LoadedFunction>;
}

interface LibrariesOptions {
  readonly engine: () => LuaEngine;
  /** The numbers of libraries and functions have changed, and the bytes of their sources. */
  counted(libraries: number, functions: number, bytes: number): void;
  log(level: number, message: string): void;
}

export class Libraries {
  readonly #options: LibrariesOptions;
  #libraries = new Map<string, Library>();
  /** Functions of all libraries, by {@link keyOf} of their names. */
  #functions = new Map<string, LoadedFunction>();
  /** Bytes of the sources of all libraries. */
  #bytes = 0;
  /** True when no library is loaded in the current engine. */
  #isUnloaded = false;
  /** Library that is being loaded, and since when. */
  #loading: Library | undefined;
  #loadingSinceUs = 0;

  constructor(options: LibrariesOptions) {
    this.#options = options;
  }

  get all(): readonly LibraryDetails[] {
    return [...this.#libraries.values()].map(({ name, code, functions }) => ({
      name,
      code,
      functions: [...functions.values()].map((one) => ({
        name: one.name,
        description: one.description,
        flags: [...one.flags],
      })),
    }));
  }

  /** Names, in lower case, of the functions that do not write. */
  get readOnlyNames(): readonly string[] {
    return [...this.#functions].flatMap(([key, { flags }]) =>
      flags.has('no-writes') ? [key] : [],
    );
  }

  /** Names, in lower case, of the functions that keep nothing from one call to the next. */
  get statelessNames(): readonly string[] {
    this.#ensureLoaded();
    const engine = this.#options.engine();
    return [...this.#functions].flatMap(([key, { ref }]) => (engine.keepsState(ref) ? [] : [key]));
  }

  functionOf(name: string): LoadedFunction | undefined {
    const key = keyOf(name);
    if (!this.#functions.has(key)) return undefined;
    this.#ensureLoaded();
    return this.#functions.get(key);
  }

  /** Loads a library and returns its name; throws a CommandError. */
  load(code: string, replaces: boolean): string {
    this.#ensureLoaded();
    const library = this.#made(code, this.#libraries, replaces);
    const old = this.#libraries.get(library.name);
    this.#demandNewFunctions(library, old);
    if (old !== undefined) this.#unlink(old);
    this.#link(library);
    this.#count();
    return library.name;
  }

  delete(name: string): boolean {
    const library = this.#libraries.get(name);
    if (library === undefined) return false;
    this.#unlink(library);
    this.#count();
    return true;
  }

  flush(): void {
    for (const library of [...this.#libraries.values()]) this.#unlink(library);
    this.#count();
  }

  /** Loads several libraries, or none; throws a CommandError. */
  restore(codes: readonly string[], policy: RestorePolicy): void {
    this.#ensureLoaded();
    const restored = new Map<string, Library>();
    const functions = new Map<string, string>();
    for (const code of codes) {
      const library = this.#made(code, restored, false);
      for (const name of library.functions.keys()) {
        if (functions.has(keyOf(name))) throw scriptErrors.functionExists(name);
        functions.set(keyOf(name), name);
      }
      restored.set(library.name, library);
    }
    const gone: Library[] = [];
    for (const old of this.#libraries.values()) {
      const isSame = restored.has(old.name);
      if (isSame && policy === 'append') {
        throw scriptErrors.restoredExists(old.name);
      }
      if (isSame || policy === 'flush') gone.push(old);
    }
    const stays = new Set(this.#functions.keys());
    for (const { functions: leaving } of gone)
      for (const name of leaving.keys()) stays.delete(keyOf(name));
    for (const [key, name] of functions)
      if (stays.has(key)) throw scriptErrors.functionExists(name);
    for (const old of gone) this.#unlink(old);
    for (const library of restored.values()) this.#link(library);
    this.#count();
  }

  /** Marks all libraries as unloaded after the engine was discarded. */
  unload(): void {
    this.#isUnloaded = this.#libraries.size > 0;
  }

  /** True when a library takes too long to load. */
  isLoadTooLong(): boolean {
    if (this.#loading === undefined) return false;
    return systemClock.nowUs() - this.#loadingSinceUs > LOAD_MS_MAX * 1_000;
  }

  /** Functions of the table `redis` while a library loads. */
  loadingFunctions(engine: () => LuaEngine): Readonly<Record<string, HostFunction>> {
    return {
      log: logFunction({
        engine,
        log: (level, message) => {
          this.#options.log(level, message);
        },
      }),
      register_function: (L) => this.#register(engine(), L),
    };
  }

  /** Loads all libraries into a new engine. Each was loaded before, so it loads again. */
  #ensureLoaded(): void {
    if (!this.#isUnloaded) return;
    this.#isUnloaded = false;
    const codes = [...this.#libraries.values()].map(({ code }) => code);
    this.#libraries = new Map();
    this.#functions = new Map();
    this.#bytes = 0;
    for (const code of codes) this.#link(this.#made(code, this.#libraries, false));
    this.#count();
  }

  #made(code: string, beside: ReadonlyMap<string, Library>, replaces: boolean): Library {
    const { name, length } = libraryShebang(code);
    if (beside.has(name) && !replaces) {
      throw scriptErrors.libraryExists(name);
    }
    const engine = this.#options.engine();
    const { functions: environment } = engine;
    const chunk = environment.compile(Buffer.from(code.slice(length), 'latin1'), CHUNK_NAME);
    if (typeof chunk === 'string') {
      throw scriptErrors.libraryNotCompiled(chunk);
    }
    const library: Library = { name, code, functions: new Map() };
    this.#loading = library;
    this.#loadingSinceUs = systemClock.nowUs();
    try {
      const error = engine.load(chunk);
      if (error !== undefined) {
        this.#release(library);
        throw scriptErrors.notRegistered(error.message);
      }
    } finally {
      this.#loading = undefined;
      environment.release(chunk);
      engine.finish(environment);
    }
    if (library.functions.size === 0) throw scriptErrors.noFunctions;
    return library;
  }

  #demandNewFunctions(library: Library, old: Library | undefined): void {
    for (const name of library.functions.keys()) {
      const present = this.#functions.get(keyOf(name));
      if (present === undefined || old?.functions.has(present.name) === true) continue;
      this.#release(library);
      throw scriptErrors.functionExists(name);
    }
  }

  #link(library: Library): void {
    this.#libraries.set(library.name, library);
    this.#bytes += library.code.length;
    for (const [name, one] of library.functions) this.#functions.set(keyOf(name), one);
  }

  #unlink(library: Library): void {
    this.#libraries.delete(library.name);
    this.#bytes -= library.code.length;
    for (const name of library.functions.keys()) this.#functions.delete(keyOf(name));
    if (!this.#isUnloaded) this.#release(library);
  }

  #release({ functions }: Library): void {
    const { functions: environment } = this.#options.engine();
    for (const { ref } of functions.values()) environment.release(ref);
  }

  #count(): void {
    this.#options.counted(this.#libraries.size, this.#functions.size, this.#bytes);
  }

  #register(engine: LuaEngine, L: number): number {
    const { vm, errors } = engine;
    const library = this.#loading;
    if (library === undefined) {
      return errors.raise(L, 'redis.register_function can only be called on FUNCTION LOAD command');
    }
    const count = vm.count(L);
    if (count < 1 || count > 2) {
      errors.raise(L, 'wrong number of arguments to redis.register_function');
    }
    const wanted = count === 1 ? namedArguments(engine, L) : positionalArguments(engine, L);
    const { name } = wanted;
    if (!isFunctionName(name)) {
      errors.raise(
        L,
        'Library names can only contain letters, numbers, or underscores(_) and must be at least one character long',
      );
    }
    if (library.functions.has(name)) errors.raise(L, 'Function already exists in the library');
    // The callback is at the top of the stack.
    const ref = vm.api.luaL_ref(L, REGISTRY_INDEX);
    const { name: libraryName, code } = library;
    const libraryBytes = code.length;
    library.functions.set(name, { ...wanted, library: libraryName, libraryBytes, ref });
    return 0;
  }
}

/** The case of a function's name does not matter in calls, as in Redis. */
function keyOf(name: string): string {
  return name.toLowerCase();
}

type Wanted = Pick<LoadedFunction, 'name' | 'description' | 'flags'>;

/** Reads a name and a callback, which is left at the top of the stack. */
function positionalArguments({ vm, errors }: LuaEngine, L: number): Wanted {
  // A number is a text as well here, and in named arguments.
  vm.api.lua_pushvalue(L, 1);
  const name = vm.topText(L);
  vm.pop(L);
  if (name === undefined) {
    errors.raise(L, 'first argument to redis.register_function must be a string');
  }
  if (vm.typeAt(vm.argument(L, 2)) !== LuaType.Function) {
    errors.raise(L, 'second argument to redis.register_function must be a function');
  }
  return {
    name: name ?? unreachable('the name was read'),
    description: undefined,
    flags: new Set(),
  };
}

/** Reads a table of named arguments, and leaves the callback at the top of the stack. */
function namedArguments(engine: LuaEngine, L: number): Wanted {
  const { vm, errors } = engine;
  const { api } = vm;
  const raise = (text: string): never => errors.raise(L, text);
  demandTable(engine, L);
  let name: string | undefined;
  let description: string | undefined;
  let flags: ReadonlySet<ScriptFlagName> = new Set();
  let hasCallback = false;
  // Its place; what it is follows.
  api.lua_pushnil(L);
  api.lua_insert(L, 1);
  api.lua_pushnil(L);
  while (api.lua_next(L, 2) !== 0) {
    const key = vm.top(L, 1);
    const keyType = vm.typeAt(key);
    if (keyType !== LuaType.String && keyType !== LuaType.Number) {
      raise('named argument key given to redis.register_function is not a string');
    }
    const type = vm.typeAt(vm.top(L));
    switch (keyType === LuaType.String ? vm.textOf(vm.objectAt(key)).toLowerCase() : '') {
      case 'function_name':
        name = vm.topText(L);
        if (name === undefined) {
          raise('function_name argument given to redis.register_function must be a string');
        }
        break;
      case 'description':
        description = vm.topText(L);
        if (description === undefined) {
          raise('description argument given to redis.register_function must be a string');
        }
        break;
      case 'callback':
        if (type !== LuaType.Function) {
          raise('callback argument given to redis.register_function must be a function');
        }
        hasCallback = true;
        api.lua_pushvalue(L, -1);
        api.lua_replace(L, 1);
        break;
      case 'flags':
        if (type !== LuaType.Table) {
          raise(
            'flags argument to redis.register_function must be a table representing function flags',
          );
        }
        flags = readFlags(engine, L);
        break;
      default:
        raise('unknown argument given to redis.register_function');
    }
    vm.pop(L);
  }
  if (name === undefined) raise('redis.register_function must get a function name argument');
  if (!hasCallback) raise('redis.register_function must get a callback argument');
  api.lua_pushvalue(L, 1);
  return { name: name ?? unreachable('the name was read'), description, flags };
}

function demandTable({ vm, errors }: LuaEngine, L: number): void {
  if (vm.typeAt(vm.argument(L, 1)) === LuaType.Table) return;
  errors.raise(
    L,
    'calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).',
  );
}

/** Reads the list of flags at the top of the stack. */
function readFlags({ vm, errors }: LuaEngine, L: number): ReadonlySet<ScriptFlagName> {
  const flags = new Set<ScriptFlagName>();
  for (let nth = 1; ; nth += 1) {
    vm.api.lua_rawgeti(L, -1, nth);
    const type = vm.typeAt(vm.top(L));
    const flag = vm.topText(L)?.toLowerCase();
    vm.pop(L);
    if (type === LuaType.Nil) return flags;
    if (flag === undefined || !isScriptFlag(flag)) errors.raise(L, 'unknown flag given');
    flags.add(flag as ScriptFlagName);
  }
}
