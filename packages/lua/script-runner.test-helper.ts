/** Scripts in an engine whose commands are a table of replies, and the same scripts in a Redis. */

import { createHash } from 'node:crypto';
import { type ChildServer, encodeCommand, startRedis } from '#testkit';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { LuaEngine, type LuaEngineOptions } from './lua-engine.ts';
import type { ScriptError } from './environment/errors.ts';
import { StringList } from './strings.ts';
import { LuaType, type HostFunction } from './wasm/api.ts';

type Protocol = 2 | 3;

const MEMORY_LIMIT_BYTES = 256 * 1024 ** 2;

const KEYS = ['key:1', 'key:2'];
const ARGUMENTS = ['argument'];

/** Commands that make the same data in a Redis as the table of replies is about. */
const DATA = [
  ['DEL', 'list'],
  ['SET', 'str', 'v\0w'],
  ['HSET', 'hash', 'a', '1', 'b', '2'],
  ['SADD', 'set', 'x'],
  ['ZADD', 'zset', '1.5', 'm'],
  ['RPUSH', 'list', 'a', 'b'],
];

/** Replies of commands, in RESP2 and, where that differs, in RESP3. */
const REPLIES: Readonly<Record<string, readonly [string, string?]>> = {
  'GET str': ['$3\r\nv\0w\r\n'],
  'GET none': ['$-1\r\n', '_\r\n'],
  'SET str v\0w': ['+OK\r\n'],
  'STRLEN str': [':3\r\n'],
  'LRANGE list 0 -1': ['*2\r\n$1\r\na\r\n$1\r\nb\r\n'],
  'LPOP none 1': ['*-1\r\n', '_\r\n'],
  'HGETALL hash': [
    '*4\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n',
    '%2\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n',
  ],
  'SMEMBERS set': ['*1\r\n$1\r\nx\r\n', '~1\r\n$1\r\nx\r\n'],
  'ZSCORE zset m': ['$3\r\n1.5\r\n', ',1.5\r\n'],
  'ZRANGE zset 0 -1 WITHSCORES': [
    '*2\r\n$1\r\nm\r\n$3\r\n1.5\r\n',
    '*1\r\n*2\r\n$1\r\nm\r\n,1.5\r\n',
  ],
  'MGET str none str': [
    '*3\r\n$3\r\nv\0w\r\n$-1\r\n$3\r\nv\0w\r\n',
    '*3\r\n$3\r\nv\0w\r\n_\r\n$3\r\nv\0w\r\n',
  ],
  'INCR hash': ['-WRONGTYPE Operation against a key holding the wrong kind of value\r\n'],
};

/** An engine with `redis.call` over the table of replies, recreated when it breaks. */
export class ScriptRunner {
  readonly #options: Partial<LuaEngineOptions>;
  engine: LuaEngine;
  #script: Protocol = 2;

  constructor(options: Partial<LuaEngineOptions> = {}) {
    this.#options = options;
    this.engine = this.#made();
  }

  /** Runs a script; returns its reply, one character for each byte. */
  run(source: string, client: Protocol = 2): string {
    const { engine } = this;
    const pieces: Buffer[] = [];
    const sink = {
      append: (bytes: Uint8Array, at: number, length: number) => {
        pieces.push(Buffer.from(bytes.subarray(at, at + length)));
      },
      failed: () => undefined,
    };
    const bytes = Buffer.from(source, 'latin1');
    const ref = engine.eval.compile(bytes, '@user_script');
    if (typeof ref === 'string') {
      return `-ERR Error compiling script (new function): ${ref}\r\n`;
    }
    this.#script = 2;
    const error = engine.runScript(ref, new StringList(KEYS), new StringList(ARGUMENTS));
    if (error === undefined) {
      engine.writeReply(engine.eval.L, sink, { client, script: this.#script });
    } else engine.writeError(sink, error, sha1(bytes));
    engine.finish(engine.eval);
    engine.eval.release(ref);
    return Buffer.concat(pieces).toString('latin1');
  }

  /** Loads a library; returns the error, if there is one. */
  load(source: string): ScriptError | string | undefined {
    const { engine } = this;
    const ref = engine.functions.compile(Buffer.from(source, 'latin1'), '@user_function');
    if (typeof ref === 'string') return ref;
    const error = engine.load(ref);
    engine.finish(engine.functions);
    return error;
  }

  /** Makes a new engine in the place of this one. */
  renew(): void {
    this.engine = this.#made();
  }

  #made(): LuaEngine {
    const options = this.#options;
    return new LuaEngine({
      memoryLimitBytes: MEMORY_LIMIT_BYTES,
      version: '7.4.1',
      versionNumber: 0x07_04_01,
      ...options,
      running: {
        call: (L) => this.#command(L, true),
        pcall: (L) => this.#command(L, false),
        setresp: (L) => this.#setProtocol(L),
        ...(['log', 'set_repl', 'acl_check_cmd'] as const).reduce<Record<string, HostFunction>>(
          (found, name) => ({ ...found, [name]: () => 0 }),
          {},
        ),
        ...options.running,
      },
      loading: { log: () => 0, ...options.loading },
    });
  }

  #setProtocol(L: number): number {
    const { vm } = this.engine;
    this.#script = vm.numberAt(vm.argument(L, 1)) === 3 ? 3 : 2;
    return 0;
  }

  #command(L: number, raises: boolean): number {
    const { vm, errors } = this.engine;
    const words = Array.from({ length: vm.count(L) }, (_, nth) => this.#word(L, nth + 1));
    vm.api.lua_settop(L, 0);
    let isError = true;
    if (words.length === 0) {
      errors.push(L, 'Please specify at least one argument for this redis lib call');
    } else if (words.includes(undefined)) {
      errors.push(L, 'Lua redis lib command arguments must be strings or integers');
    } else isError = this.#reply(L, words.join(' '));
    if (isError && raises) vm.raise(L);
    return 1;
  }

  #reply(L: number, command: string): boolean {
    const [two, three] = REPLIES[command] ?? [
      '-ERR Unknown Redis command called from script\r\n',
      undefined,
    ];
    const bytes = Buffer.from(this.#script === 3 ? (three ?? two) : two, 'latin1');
    return this.engine.pushReply(L, bytes, 0, bytes.length);
  }

  #word(L: number, nth: number): string | undefined {
    const { vm } = this.engine;
    const address = vm.argument(L, nth);
    const type = vm.typeAt(address);
    if (type === LuaType.String) return vm.textOf(vm.objectAt(address));
    return type === LuaType.Number ? String(vm.numberAt(address)) : undefined;
  }
}

function sha1(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('hex');
}

/** Names that 7.0, which Debian has, does not give to scripts, and numbers that it writes otherwise. */
const NEWER_THAN_7_0 = /\b(?:os|[gs]etfenv|newproxy)\b|pairs\(_G\)|double=0\.1/;

/** Tests that scripts, one on each line, answer what they answer in a Redis, with clients of both protocols. */
export function compareWithRedis(compared: Test, scripts: string): void {
  let server: ChildServer;
  let runner: ScriptRunner;
  compared.before(async () => {
    server = await startRedis();
    runner = new ScriptRunner();
  });
  compared.after(async () => {
    await server.stop();
  });
  for (const client of [2, 3] as const) {
    compared(`the same replies in RESP${client}`, async () => {
      const redis = await rawReplies(server, client);
      const is7d0 = /redis_version:7\.0/.test(await redis(['INFO', 'server']));
      for (const script of scripts.split('\n').filter((line) => line !== '')) {
        if (is7d0 && NEWER_THAN_7_0.test(script)) continue;
        const words = ['EVAL', script, String(KEYS.length), ...KEYS, ...ARGUMENTS];
        assert.is(runner.run(script, client), await redis(words), script);
      }
    });
  }
}

const END = 'end of reply';

/** Makes what asks a server and returns the bytes of the reply, one character for each. */
export async function rawReplies(
  server: ChildServer,
  client: Protocol = 2,
): Promise<(words: readonly string[]) => Promise<string>> {
  const { socket } = await server.client();
  let received = '';
  let wake = (): void => undefined;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    wake();
  });
  const ask = async (words: readonly string[]): Promise<string> => {
    received = '';
    const binary = words.map((word) => Buffer.from(word, 'latin1'));
    socket.write(Buffer.concat([encodeCommand(binary), encodeCommand(['ECHO', END])]));
    const end = `$${END.length}\r\n${END}\r\n`;
    while (!received.endsWith(end)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return received.slice(0, -end.length);
  };
  await ask(['HELLO', String(client)]);
  for (const command of DATA) await ask(command);
  return ask;
}
