/**
 * Loads the bundled program of a thread, with the bytecode that V8 made of it when the server was built.
 *
 * Compiling took half of the processor time of a start. V8 takes a code cache where its version, its flags and the length
 * of the source are those that it was made with; otherwise it compiles, as it does where there is none.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { setV8Flags } from './v8-flags.ts';

/** Variable by which the build has each thread write its code caches. */
const WRITE_VARIABLE = 'SVC_WRITE_CODE_CACHE';

/** Interval at which a thread writes them, in milliseconds: one that is ended from outside has no last word. */
const WRITE_INTERVAL_MS = 250;

interface LoadedModule {
  readonly exports: object;
}

/** Takes what the text of a CommonJS module finds in its scope, in the order of Node's own wrapper. */
type Wrapper = (...scope: readonly unknown[]) => void;

/** Runs `<name>.program.js`, which lies beside the bundled file of this module. */
export function loadProgram(folder: string, name: string): void {
  if (isMainThread) setV8Flags();
  const file = path.join(folder, `${name}.program.js`);
  // Node reads source maps only of what it loads itself.
  if (process.execArgv.includes('--enable-source-maps')) createRequire(file)(file);
  else new CachedLoader(folder).load(file);
}

/** `require` of the files of the bundle; other names are Node's to find. */
class CachedLoader {
  readonly #modules = new Map<string, LoadedModule>();
  readonly #scripts = new Map<string, Script>();
  readonly #folder: string;
  readonly #requireOther: NodeJS.Require;

  constructor(folder: string) {
    this.#folder = folder;
    this.#requireOther = createRequire(path.join(folder, 'main.js'));
    if (process.env[WRITE_VARIABLE] === undefined) return;
    setInterval(() => {
      this.#writeCaches();
    }, WRITE_INTERVAL_MS).unref();
    // A shard that sleeps on its doorbell runs no timer.
    process.once('exit', () => {
      this.#writeCaches();
    });
  }

  load(file: string): object {
    const known = this.#modules.get(file);
    if (known !== undefined) return known.exports;
    const module: LoadedModule = { exports: {} };
    this.#modules.set(file, module);
    const script = compileProgram(file);
    this.#scripts.set(file, script);
    const run = script.runInThisContext() as Wrapper;
    const require = (name: string): unknown =>
      name.startsWith('./') ? this.load(path.join(this.#folder, name)) : this.#requireOther(name);
    run(module.exports, require, module, file, this.#folder);
    return module.exports;
  }

  #writeCaches(): void {
    // `holdYoungGeneration` may have changed it since, and V8 takes a cache only with the flags of its start.
    setFlagsFromString('--semi-space-growth-factor=2');
    for (const [file, script] of this.#scripts) {
      writeFileSync(`${file}.cache.part`, script.createCachedData());
      renameSync(`${file}.cache.part`, `${file}.cache`);
    }
  }
}

export { setV8Flags };

/**
 * Compiles a file of the bundle, from its cache where V8 takes it (`cachedDataRejected`). The build leaves nothing but
 * ASCII in a program, so that V8 keeps the text in one byte a character.
 */
export function compileProgram(file: string): Script {
  const text = readFileSync(file, 'latin1');
  const cache = `${file}.cache`;
  const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
  return new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
}
