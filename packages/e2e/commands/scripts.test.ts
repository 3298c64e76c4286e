/** Scripts and functions: on one shard, and over several with keys that they declare or not. */
// test-again: TEST_SPILLS=1
import {
  type ChildServer,
  keyPerShard,
  ReplyError,
  type RespClient,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptServers } from '../durability/kept-server.ts';

const LIBRARY = `#!lua name=mylib
redis.register_function('put', function(keys, args) return redis.call('SET', keys[1], args[1]) end)
redis.register_function{
  function_name = 'look', description = 'looks', flags = {'no-writes'},
  callback = function(keys) return redis.call('GET', keys[1]) end
}`;
/** A library that takes long enough to load for the shard to check for a stop request. */
const SLOW_LIBRARY = `#!lua name=slow
for n = 1, 300000 do end
redis.register_function('slow', function() return 1 end)`;
/** Ten million characters. */
const LONG = "local s = ('a'):rep(1e3):rep(1e4)";
const SUM = `local sum = 0
for _, key in ipairs(KEYS) do sum = sum + redis.call('INCR', key) end
return sum`;

const scripts = suite('scripts');
/** Part of the status document with the commands that shards execute. */
interface Status {
  readonly shards: readonly { readonly executing: { readonly elapsed_us: number } | null }[];
}

const BUSY_US = 5_000;

const newServer = keptServers(scripts);

const seen = (reply: unknown): unknown => {
  if (reply instanceof ReplyError) return `-${reply.message}`;
  if (Buffer.isBuffer(reply)) return textOf(reply);
  return Array.isArray(reply) ? reply.map(seen) : reply;
};

type Words = readonly (string | number)[];

/** On three shards, if there are three. */
const keys = keyPerShard(3, 'k');
const [a = '', b = '', c = ''] = keys;

for (const shards of [1, 3]) {
  const kept = newServer();
  let isStarted = false;
  let server: ChildServer;
  let client: RespClient;
  const options = {
    shards,
    args: ['--set', 'persistence.enabled=yes', '--set', 'security.enable-debug-command=yes'],
  };
  const restart = async (): Promise<void> => {
    await client.end();
    await kept.kill();
    client = await kept.start(options);
    ({ server } = kept);
  };
  const ask = async (...words: Words): Promise<unknown> => {
    const [reply] = await client.pipeline([words.map(String)]);
    return seen(reply);
  };
  const begin = async (): Promise<void> => {
    if (!isStarted) {
      await kept.start(options);
      ({ server } = kept);
      isStarted = true;
    }
    client = await server.client();
    await client.call('FLUSHALL');
    await client.call('FUNCTION', 'FLUSH');
    await client.call('SCRIPT', 'FLUSH');
  };
  const test = (name: string, run: () => Promise<void>): void => {
    scripts(`${String(shards)} shards: ${name}`, async () => {
      await begin();
      await run();
      await client.end();
    });
  };

  test('EVAL, EVALSHA, SCRIPT LOAD, SCRIPT EXISTS, SCRIPT FLUSH', async () => {
    assert.is(await ask('EVAL', SUM, 3, a, b, c), 3);
    const digest = await ask('SCRIPT', 'LOAD', SUM);
    assert.match(String(digest), /^[0-9a-f]{40}$/);
    assert.is(await ask('EVALSHA', String(digest).toUpperCase(), 3, a, b, c), 6);
    assert.equal(await ask('SCRIPT', 'EXISTS', String(digest), 'x'), [1, 0]);
    assert.is(await ask('SCRIPT', 'FLUSH'), 'OK');
    assert.is(
      await ask('EVALSHA', String(digest), 0),
      '-NOSCRIPT No matching script. Please use EVAL.',
    );
  });

  test('EVAL_RO and EVALSHA_RO refuse writes', async () => {
    const refusal = /^-ERR Write commands are not allowed from read-only scripts/;
    assert.match(String(await ask('EVAL_RO', SUM, 1, a)), refusal);
    const digest = String(await ask('SCRIPT', 'LOAD', SUM));
    assert.match(String(await ask('EVALSHA_RO', digest, 1, a)), refusal);
    assert.is(await ask('EVAL_RO', "return redis.call('EXISTS', KEYS[1])", 1, a), 0);
    const noWrites = `#!lua flags=no-writes\n${SUM}`;
    assert.match(String(await ask('EVAL', noWrites, 1, a)), refusal);
    assert.match(
      String(await ask('EVAL_RO', `#!lua\n${SUM}`, 1, a)),
      /^-ERR Can not execute a script with write flag/,
    );
  });

  test('keys that a script does not declare are touched wherever they are', async () => {
    for (const key of keys) await ask('SET', key, key);
    const script = `redis.call('RENAME', '${a}', 'renamed')
      redis.call('SUNIONSTORE', 'union', 'none')
      redis.call('LPUSH', 'list', 'x')
      return {redis.call('MGET', '${b}', '${c}'), redis.call('DBSIZE'), redis.call('GET', 'renamed')}`;
    assert.equal(await ask('EVAL', script, 0), [[b, c], 4, a]);
    assert.equal(await ask('EXISTS', a, b, c, 'renamed', 'list'), 4);
  });

  test('commands of main and of all shards are called', async () => {
    const script = `redis.call('SET', KEYS[1], 'x')
      redis.call('FLUSHALL')
      redis.call('SET', '${b}', 'y')
      return {redis.call('DBSIZE'), redis.call('KEYS', '*'), redis.call('PUBLISH', 'ch', 'm'),
        redis.call('ECHO', 'e'), redis.call('PING'), redis.call('SELECT', '1'), redis.call('DBSIZE')}`;
    assert.equal(await ask('EVAL', script, 1, a), [1, [b], 0, 'e', 'PONG', 'OK', 0]);
    assert.is(await ask('GET', b), 'y', 'the database of the client is what it was');
  });

  test('what may not be called, and what fails, is told in the words of Redis', async () => {
    const cases: readonly (readonly [script: string, reply: RegExp])[] = [
      [
        "return redis.call('NOPE')",
        /^-ERR Unknown Redis command called from script script: \w+, on @user_script:1\.$/,
      ],
      ["return redis.call('GET')", /^-ERR Wrong number of args calling Redis command from script/],
      [
        "return redis.call('EVAL', 'x', '0')",
        /^-ERR This Redis command is not allowed from script/,
      ],
      [
        "return redis.call('LPUSH', KEYS[1], {})",
        /^-ERR Lua redis lib command arguments must be strings/,
      ],
      ['return redis.call()', /^-ERR Please specify at least one argument for this redis lib call/],
      ["return redis.pcall('NOPE').err", /^ERR Unknown Redis command called from script$/],
      [
        'return unknown',
        /^-ERR user_script:1: Script attempted to access nonexistent global variable 'unknown'/,
      ],
      ['global = 1', /^-ERR user_script:1: Attempt to modify a readonly table/],
      ['return (', /^-ERR Error compiling script \(new function\): user_script:1:/],
      ["error('x')", /^-ERR user_script:1: x script: \w+, on @user_script:1\.$/],
      ["return redis.error_reply('MY text')", /^-MY text$/],
      [
        "return redis.call('MSET', KEYS[1], '1', KEYS[1])",
        /^-ERR wrong number of arguments for 'mset' command script: \w+, on @user_script:1\.$/,
      ],
      ["return redis.pcall('SELECT', '')", /^-ERR value is not an integer or out of range$/],
      ["return redis.pcall('SELECT', 16)", /^-ERR DB index is out of range$/],
    ];
    for (const [script, reply] of cases) {
      assert.match(String(await ask('EVAL', script, 1, a)), reply, script);
    }
    assert.is(await ask('EVAL', 'return 1', 'x'), '-ERR value is not an integer or out of range');
    assert.is(await ask('EVAL', 'return 1', -1), "-ERR Number of keys can't be negative");
    assert.is(
      await ask('EVAL', 'return 1', 2, a),
      "-ERR Number of keys can't be greater than number of args",
    );
  });

  test('the number of keys is judged before the script is known or looked for', async () => {
    const missing = 'f'.repeat(40);
    const one = '1'.repeat(40);
    const none = '-NOSCRIPT No matching script. Please use EVAL.';
    const refusals = [
      [-1, "-ERR Number of keys can't be negative"],
      ['x', '-ERR value is not an integer or out of range'],
      [2, "-ERR Number of keys can't be greater than number of args"],
      ['9223372036854775807', "-ERR Number of keys can't be greater than number of args"],
    ] as const;
    for (const [count, refusal] of refusals) {
      assert.is(await ask('EVAL', 'return "new"', count, a), refusal);
      assert.is(await ask('EVALSHA', missing, count, a), refusal);
      assert.is(await ask('EVALSHA', 'short', count, a), none);
      const replies = await client.pipeline([
        ['MULTI'],
        ['EVALSHA', one, String(count), a],
        ['EVALSHA', 'short', String(count), a],
        ['EXEC'],
      ]);
      assert.equal(seen(replies.at(-1)), [refusal, none]);
    }
    assert.match(String(await ask('INFO', 'memory')), /number_of_cached_scripts:0\r/);
  });

  test('a script that does not compile is not known', async () => {
    const digest = 'b0a6b9a0a9d0b2cb9d6d9ac8c1b1b2f5d5d1a1f0';
    assert.match(String(await ask('EVAL', 'return )', 0)), /^-ERR Error compiling/);
    assert.match(String(await ask('SCRIPT', 'LOAD', 'return )')), /^-ERR Error compiling/);
    assert.equal(await ask('SCRIPT', 'EXISTS', digest), [0]);
    const info = String(await ask('INFO', 'memory'));
    assert.match(info, /number_of_cached_scripts:0\r/);
  });

  test('DEBUG SET-DISABLE-DENY-SCRIPTS lets scripts call what they may not', async () => {
    const script = "return redis.call('DEBUG', 'PROTOCOL', 'integer')";
    assert.match(String(await ask('EVAL', script, 0)), /not allowed from script/);
    await ask('DEBUG', 'SET-DISABLE-DENY-SCRIPTS', 1);
    assert.is(await ask('EVAL', script, 0), 12345);
    await ask('DEBUG', 'SET-DISABLE-DENY-SCRIPTS', 0);
  });

  test('scripts in transactions, and with watched keys', async () => {
    const replies = await client.pipeline([
      ['WATCH', a],
      ['MULTI'],
      ['SET', a, '5'],
      ['EVAL', SUM, '2', a, b],
      ['EVAL', "return redis.call('DBSIZE')", '0'],
      ['EXEC'],
      ['GET', a],
    ]);
    assert.equal(seen(replies.slice(-2)), [['OK', 7, 2], '6']);
  });

  test('scripts in transactions touch keys of all shards, while others wait for the end', async () => {
    const script = `redis.call('INCR', KEYS[1]) redis.call('INCR', '${c}')
      return redis.call('INCR', KEYS[2])`;
    const digest = String(await ask('SCRIPT', 'LOAD', script));
    const other = await server.client();
    const transaction = [
      ['MULTI'],
      ['INCR', c],
      ['EVAL', script, '2', a, b],
      ['EVALSHA', digest, '3', a, b, b],
      ['RENAME', a, b],
      ['EVALSHA', digest, '2', c, a],
      ['EXEC'],
    ];
    const rounds = 20;
    for (let round = 1; round <= rounds; round += 1) {
      const ends = client.pipeline(transaction);
      const loners = [a, b, c].map((key) => other.call('EVAL', script, '2', key, c));
      const replies = seen((await ends).at(-1)) as unknown[];
      assert.is(replies.length, 5);
      assert.not.match(replies.join(), /-/);
      await Promise.all(loners);
    }
    // 'a' was renamed to 'b' and created again: only 'c' has seen all.
    const perTransaction = 1 + 1 + 1 + 2;
    const perLoners = 2 + 2 + 3;
    assert.is(Number(await ask('GET', c)), rounds * (perTransaction + perLoners));
    await other.end();
  });

  test('a script that needs no other shard is over before one that lends a key has stopped', async () => {
    const length = 5_000_000;
    // Its text does not show that it stays on the shard of its key.
    const script = `local name = 'INCR' return redis.call(name, KEYS[1])`;
    await ask('SETRANGE', b, length - 1, 'x');
    for (let round = 1; round <= 6; round += 1) {
      const [from, to] = round % 2 === 1 ? [b, c] : [c, b];
      const replies = await client.pipeline([
        ['RENAME', from, to],
        ['EVAL', script, '1', a],
        ['STRLEN', to],
      ]);
      assert.equal(seen(replies), ['OK', round, length]);
    }
  });

  test('writes of a script in a transaction are there again after a restart', async () => {
    const script = `redis.call('INCR', KEYS[1]) redis.call('INCR', '${b}')
      return redis.call('INCR', '${c}')`;
    const replies = await client.pipeline([
      ['MULTI'],
      ['EVAL', script, '2', a, b],
      ['EVAL', script, '1', c],
      ['EXEC'],
      ['EVAL', script, '1', a],
      ['EVAL', "return redis.call('INCR', KEYS[1])", '1', a],
    ]);
    assert.equal(seen(replies.slice(3)), [[1, 3], 4, 3]);
    await restart();
    assert.equal(await ask('MGET', a, b, c), ['3', '3', '4']);
  });

  test('FUNCTION LOAD, FCALL, FCALL_RO, FUNCTION LIST, FUNCTION DELETE', async () => {
    assert.is(await ask('FUNCTION', 'LOAD', LIBRARY), 'mylib');
    assert.is(await ask('FUNCTION', 'LOAD', LIBRARY), "-ERR Library 'mylib' already exists");
    assert.is(await ask('FUNCTION', 'LOAD', 'REPLACE', LIBRARY), 'mylib');
    for (const key of keys) {
      assert.is(await ask('FCALL', 'put', 1, key, 'v'), 'OK');
      assert.is(await ask('FCALL_RO', 'look', 1, key), 'v');
    }
    assert.match(String(await ask('FCALL_RO', 'put', 1, a, 'v')), /^-ERR Can not execute a script/);
    assert.is(await ask('FCALL', 'nope', 0), '-ERR Function not found');
    assert.is(await ask('FCALL', 'put', 'x'), '-ERR Bad number of keys provided');
    const [library] = (await ask('FUNCTION', 'LIST', 'LIBRARYNAME', 'my*', 'WITHCODE')) as [
      unknown[],
    ];
    assert.equal(library.slice(0, 4), ['library_name', 'mylib', 'engine', 'LUA']);
    assert.is(library.at(-1), LIBRARY);
    assert.is(await ask('FUNCTION', 'DELETE', 'mylib'), 'OK');
    assert.is(await ask('FUNCTION', 'DELETE', 'mylib'), '-ERR Library not found');
    assert.is(await ask('FCALL', 'put', 1, a, 'v'), '-ERR Function not found');
  });

  test('numbers are names of functions, as any text is', async () => {
    const library = `#!lua name=numbers
      redis.register_function(12, function() return 'positional' end)
      redis.register_function{function_name = 13, description = 14, callback = function() return 'named' end}`;
    assert.is(await ask('FUNCTION', 'LOAD', library), 'numbers');
    assert.equal([await ask('FCALL', 12, 0), await ask('FCALL', '13', 0)], ['positional', 'named']);
    assert.match(
      String(await ask('FUNCTION', 'LOAD', '#!lua name=x\nredis.register_function{12}')),
      /unknown argument given to redis.register_function/,
    );
  });

  test('the case of the names of functions does not matter, that of libraries does', async () => {
    const library = (name: string, one: string): string =>
      `#!lua ${name}\nredis.register_function('${one}', function() return '${one}' end)`;
    assert.is(await ask('FUNCTION', 'LOAD', library('name="cased"', 'Say')), 'cased');
    assert.is(await ask('FCALL', 'SAY', 0), 'Say');
    const second = library('name=Cased', 'say');
    assert.is(await ask('FUNCTION', 'LOAD', second), '-ERR Function say already exists');
    const other = library("name='cased'", 'SAY');
    assert.is(await ask('FUNCTION', 'LOAD', 'REPLACE', other), 'cased');
    assert.is(await ask('FCALL', 'say', 0), 'SAY');
    assert.is(await ask('FUNCTION', 'DELETE', 'CASED'), '-ERR Library not found');
    assert.is(await ask('FUNCTION', 'DELETE', 'cased'), 'OK');
    assert.is(await ask('FCALL', 'say', 0), '-ERR Function not found');
  });

  test('FUNCTION DUMP, FUNCTION RESTORE, FUNCTION STATS', async () => {
    await ask('FUNCTION', 'LOAD', LIBRARY);
    const binary = await server.client({ buffers: true });
    const payload = (await binary.call('FUNCTION', 'DUMP')) as Buffer;
    await binary.end();
    const restore = async (...policy: string[]): Promise<unknown> => {
      const [reply] = await client.pipeline([['FUNCTION', 'RESTORE', payload, ...policy]]);
      return seen(reply);
    };
    assert.is(await restore(), '-ERR Library mylib already exists');
    assert.is(await restore('REPLACE'), 'OK');
    await ask('FUNCTION', 'FLUSH');
    assert.is(await restore(), 'OK');
    assert.is(await ask('FCALL', 'put', 1, b, 'v'), 'OK');
    assert.equal(await ask('FUNCTION', 'STATS'), [
      ...['running_script', null, 'engines'],
      ['LUA', ['libraries_count', 1, 'functions_count', 2]],
    ]);
  });

  test('functions are there again after a restart, from the log and from a snapshot', async () => {
    assert.is(await ask('FUNCTION', 'LOAD', LIBRARY), 'mylib');
    for (const saves of [false, true, true]) {
      if (saves) assert.is(await ask('SAVE'), 'OK');
      await restart();
      assert.is(await ask('FCALL', 'put', 1, c, 'again'), 'OK');
    }
    assert.is(await ask('GET', c), 'again');
  });

  test('writes of a script are there again after a restart', async () => {
    const script = `redis.call('SET', KEYS[1], '1') redis.call('FLUSHALL')
      for n = 1, 50 do redis.call('RPUSH', KEYS[2], n) end
      redis.call('SET', 'undeclared', 'x') return redis.call('INCR', KEYS[3])`;
    assert.is(await ask('EVAL', script, 3, a, b, c), 1);
    await restart();
    assert.equal(
      [
        await ask('EXISTS', a),
        await ask('LLEN', b),
        await ask('GET', c),
        await ask('GET', 'undeclared'),
      ],
      [0, 50, '1', 'x'],
    );
  });

  test('SCRIPT KILL and FUNCTION KILL stop what loops, also when it catches errors', async () => {
    await ask(
      'FUNCTION',
      'LOAD',
      `#!lua name=loop\nredis.register_function('loop', function() while true do end end)`,
    );
    await ask('CONFIG', 'SET', 'busy-reply-threshold', '1');
    const loops: readonly (readonly [command: Words, kill: string, other: string])[] = [
      [['EVAL', 'while true do pcall(function() error("x") end) end', 0], 'SCRIPT', 'FUNCTION'],
      [['FCALL', 'loop', 0], 'FUNCTION', 'SCRIPT'],
      [['EVAL', `${LONG} while true do s:find('b', 1, true) end`, 0], 'SCRIPT', 'FUNCTION'],
      [['EVAL', `${LONG} while true do redis.sha1hex(s) end`, 0], 'SCRIPT', 'FUNCTION'],
    ];
    assert.match(String(await ask('SCRIPT', 'KILL')), /^-NOTBUSY/);
    assert.match(String(await ask('FUNCTION', 'KILL')), /^-NOTBUSY/);
    for (const [command, kill, other] of loops) {
      const runner = await server.client();
      const ended = runner.pipeline([command.map(String)]);
      // What is sent before the script is busy waits for its end.
      await until(async () => {
        const { shards: all } = JSON.parse(String(await ask('STATUS', 'JSON'))) as Status;
        return all.some(({ executing }) => (executing?.elapsed_us ?? 0) > BUSY_US);
      }, 'the script is busy');
      assert.match(String(await ask('EVAL', 'return 1', 0)), /^-BUSY/);
      assert.match(String(await ask(other, 'KILL')), /^-BUSY/);
      assert.is(await ask(kill, 'KILL'), 'OK');
      assert.match(String(seen((await ended)[0])), /Script killed by user with SCRIPT KILL/);
      await runner.end();
      assert.is(await ask('FUNCTION', 'LOAD', 'REPLACE', SLOW_LIBRARY), 'slow');
    }
    await ask('CONFIG', 'SET', 'busy-reply-threshold', '5000');
    assert.is(await ask('PING'), 'PONG');
  });

  test('variables of a library are there once, whatever the keys of its functions', async () => {
    const library = `#!lua name=counting
      local n, sum = 0, {}
      redis.register_function('count', function(keys)
        n = n + 1
        sum[keys[1]] = (sum[keys[1]] or 0) + 1
        redis.call('SET', keys[1], n)
        return n
      end)
      redis.register_function('plain', function(keys) return redis.call('GET', keys[1]) end)`;
    await ask('FUNCTION', 'LOAD', library);
    let wanted = 0;
    for (const round of [1, 2]) {
      for (const key of keys) {
        wanted += 1;
        assert.is(await ask('FCALL', 'count', 1, key), wanted, `round ${round}`);
        assert.is(await ask('FCALL', 'plain', 1, key), String(wanted));
        assert.is(await ask('GET', key), String(wanted));
      }
    }
    const commands = keys.map((key) => ['FCALL', 'count', '1', key]);
    const replies = await client.pipeline([['MULTI'], ...commands, ['EXEC']]);
    assert.equal(
      replies.at(-1),
      keys.map((_, nth) => wanted + nth + 1),
    );
    await ask('FUNCTION', 'LOAD', 'REPLACE', library);
    assert.is(await ask('FCALL', 'count', 1, c), 1);
    await ask('FUNCTION', 'DELETE', 'counting');
    await ask('DEL', a, b, c);
  });

  test('what waits behind a script is answered BUSY once it is busy, and not run', async () => {
    await ask('CONFIG', 'SET', 'busy-reply-threshold', '300');
    await ask('SET', a, '1');
    const runner = await server.client();
    const other = await server.client();
    const ended = runner.pipeline([['EVAL', 'while true do end', '1', a]]);
    const waiting = other.pipeline([
      ['PING'],
      ['APPEND', a, '2'],
      ['MULTI'],
      ['PING'],
      ['EXEC'],
      ['GET', a],
      ['EVALSHA', 'f'.repeat(40), '0'],
    ]);
    const busyReply = /^-BUSY Redis is busy running a script/;
    const replies = (await waiting).map(seen);
    assert.is(replies[0], 'PONG');
    assert.equal(replies.slice(2, 5), ['OK', 'QUEUED', ['PONG']]);
    // On a slow machine the script may not have started when they arrived.
    const before = replies[1] === 2;
    if (!before) assert.match(String(replies[1]), busyReply);
    if (replies[5] !== '12') assert.match(String(replies[5]), busyReply);
    assert.match(String(await ask('GET', a)), busyReply);
    assert.is(await ask('SCRIPT', 'KILL'), 'OK');
    assert.match(String(seen((await ended)[0])), /Script killed by user/);
    await ask('CONFIG', 'SET', 'busy-reply-threshold', '5000');
    assert.is(await ask('GET', a), before ? '12' : '1');
    assert.is(textOf(await other.call('GET', a)), before ? '12' : '1');
    await Promise.all([runner.end(), other.end()]);
  });

  test('reads of several shards and blocking commands behind a script are answered BUSY as well', async () => {
    const list = `{${a}}list`;
    await ask('CONFIG', 'SET', 'busy-reply-threshold', '300');
    await ask('CONFIG', 'RESETSTAT');
    const runner = await server.client();
    const ended = runner.pipeline([['EVAL', 'while true do end', '1', a]]);
    await until(async () => {
      const { shards: all } = JSON.parse(String(await ask('STATUS', 'JSON'))) as Status;
      return all.some(({ executing }) => (executing?.elapsed_us ?? 0) > 0);
    }, 'the script runs');
    const commands = [
      ['MGET', a, b, c],
      ['EXISTS', c, b, a],
      ['DBSIZE'],
      ['KEYS', '*'],
      ['RANDOMKEY'],
      ['SCAN', '0'],
      ['BLPOP', list, '0'],
    ];
    const clients = await Promise.all(commands.map(() => server.client()));
    const replies = await Promise.all(clients.map((each, nth) => each.pipeline([commands[nth]!])));
    for (const [nth, [reply]] of replies.entries()) {
      assert.match(String(seen(reply)), /^-BUSY Redis is busy/, commands[nth]!.join(' '));
    }
    assert.is(await ask('SCRIPT', 'KILL'), 'OK');
    await ended;
    await ask('CONFIG', 'SET', 'busy-reply-threshold', '5000');
    const stats = String(await ask('INFO', 'commandstats'));
    assert.match(stats, /cmdstat_mget:calls=0,.*,rejected_calls=1,failed_calls=0/);
    assert.is(await ask('LPUSH', list, 'x'), 1);
    assert.is(await ask('LLEN', list), 1);
    assert.equal(seen(await clients.at(-1)!.call('BLPOP', list, '0')), [list, 'x']);
    await Promise.all([runner, ...clients].map((each) => each.end()));
  });

  test('a script that takes all memory fails alone', async () => {
    const bombs = [
      "local s = 'x' while true do s = s .. s end",
      'local t = {} for n = 1, 1e9 do t[n] = {n} end',
      'local function f() return 1 + f() end return f()',
    ];
    for (const bomb of bombs) assert.match(String(await ask('EVAL', bomb, 0)), /^-ERR/, bomb);
    assert.is(await ask('EVAL', SUM, 1, a), 1);
  });

  test('readers see all of a script or nothing', async () => {
    const writer = await server.client();
    const reader = await server.client();
    const script = `redis.call('SET', KEYS[1], ARGV[1])
      redis.call('SET', '${b}', ARGV[1]) redis.call('SET', '${c}', ARGV[1])`;
    const state = { isOver: false };
    const reading = (async () => {
      while (!state.isOver) {
        const values = seen(await reader.call('MGET', a, b, c)) as unknown[];
        assert.is(new Set(values).size, 1, values.join());
      }
    })();
    for (let round = 0; round < 200; round += 1) {
      await writer.call('EVAL', script, '1', a, String(round));
    }
    state.isOver = true;
    await reading;
    await writer.end();
    await reader.end();
  });
}

scripts.run();
