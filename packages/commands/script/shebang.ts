/** First line of a script or library: `#!lua`, and what it says of what follows. */

import { CommandError } from '#base';

/** Flags that scripts and functions may have. */
const SCRIPT_FLAGS = [
  'no-writes',
  'allow-oom',
  'allow-stale',
  'no-cluster',
  'allow-cross-slot-keys',
] as const;
export type ScriptFlagName = (typeof SCRIPT_FLAGS)[number];

export function isScriptFlag(word: string): word is ScriptFlagName {
  return (SCRIPT_FLAGS as readonly string[]).includes(word);
}

/** Properties declared in the first line of a script. */
interface Shebang {
  /** Undefined without such a line: then the script may do all, and each call is judged. */
  readonly flags: ReadonlySet<ScriptFlagName> | undefined;
  /** Bytes of the line, without its end. */
  readonly length: number;
}

/** Reads the first line of a script; throws a CommandError. */
export function scriptShebang(code: string): Shebang {
  if (!code.startsWith('#!')) return { flags: undefined, length: 0 };
  const length = code.indexOf('\n');
  if (length < 0) throw new CommandError('ERR Invalid script shebang');
  const [engine, ...options] = wordsOf(code.slice(0, length)) ?? [];
  if (engine === undefined) throw new CommandError('ERR Invalid engine in script shebang');
  if (engine !== '#!lua') {
    throw new CommandError(`ERR Unexpected engine in script shebang: ${engine}`);
  }
  const flags = new Set<ScriptFlagName>();
  for (const option of options) {
    if (!option.startsWith('flags=')) {
      throw new CommandError(`ERR Unknown lua shebang option: ${option}`);
    }
    const names = option.slice('flags='.length);
    for (const flag of names === '' ? [] : names.split(',')) {
      if (!isScriptFlag(flag)) {
        throw new CommandError(`ERR Unexpected flag in script shebang: ${flag}`);
      }
      flags.add(flag);
    }
  }
  return { flags, length };
}

/** A library's name, and where its code begins. */
interface LibraryHead {
  readonly name: string;
  readonly length: number;
}

const NAME = /^\w+$/;

/** Reads the first line of a library; throws a CommandError. */
export function libraryShebang(code: string): LibraryHead {
  if (!code.startsWith('#!')) throw new CommandError('ERR Missing library metadata');
  const length = code.indexOf('\n');
  const words = length < 0 ? undefined : wordsOf(code.slice(0, length));
  if (words === undefined || words.length === 0) {
    throw new CommandError('ERR Invalid library metadata');
  }
  const [engine = '', ...options] = words;
  let name: string | undefined;
  for (const option of options) {
    if (!/^name=/i.test(option)) {
      throw new CommandError(`ERR Invalid metadata value given: ${option}`);
    }
    if (name !== undefined) {
      throw new CommandError('ERR Invalid metadata value, name argument was given multiple times');
    }
    name = option.slice('name='.length);
  }
  if (name === undefined) throw new CommandError('ERR Library name was not given');
  if (!NAME.test(name)) throw badName('Library');
  if (engine.slice(2).toLowerCase() !== 'lua') {
    throw new CommandError(`ERR Engine '${engine.slice(2)}' not found`);
  }
  return { name, length };
}

export function isFunctionName(name: string): boolean {
  return NAME.test(name);
}

function badName(what: string): CommandError {
  return new CommandError(
    `ERR ${what} names can only contain letters, numbers, or underscores(_) and must be at least one character long`,
  );
}

/** A word: characters, of which the last may be quoted; a quote ends it. */
const WORD =
  /\s*(?=\S)([^\s"']*)(?:"((?:[^"\\]|\\.)*)"(?=\s|$)|'((?:[^'\\]|\\.)*)'(?=\s|$)|(?=\s|$))/y;

/** A longer first line is malformed; the pattern above could take V8's whole stack. */
const LINE_LENGTH_MAX = 64 * 1_024;

/** Words of a line, which may be quoted; undefined where quotes are not closed, or the line is too long. */
function wordsOf(line: string): readonly string[] | undefined {
  if (line.length > LINE_LENGTH_MAX) return undefined;
  const text = line.trim();
  const words: string[] = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length) {
    const found = WORD.exec(text);
    if (found === null) return undefined;
    const [, plain = '', double, single] = found;
    words.push(plain + (double ?? single ?? ''));
  }
  return words;
}
