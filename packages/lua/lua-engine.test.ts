import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LuaEngineError } from './lua-engine-error.ts';
import { ScriptRunner } from './script-runner.test-helper.ts';
import { NO_STRINGS, StringList } from './strings.ts';

const MIB = 1_048_576;
const engine = suite('lua engine');
const runner = new ScriptRunner();

const limited = (source: string): string =>
  new ScriptRunner({ memoryLimitBytes: 32 * MIB }).run(source);

engine('ends a script that makes a table too large, and runs the next one', () => {
  const own = new ScriptRunner({ memoryLimitBytes: 32 * MIB });
  assert.match(own.run('local t={} for i=1,1e9 do t[i]={i} end'), /^-.*not enough memory/);
  assert.ok(own.engine.memoryBytes <= 32 * MIB);
  assert.is(own.run('return 1'), ':1\r\n');
  assert.not(own.engine.isBroken);
});

engine('ends a script that doubles a string for ever', () => {
  assert.match(limited('local s="a" while true do s=s..s end'), /^-.*not enough memory/);
  assert.match(limited('return string.rep("x",1e9)'), /^-.*not enough memory/);
  assert.match(limited('return cjson.encode(string.rep("\\1",1e7))'), /^-.*not enough memory/);
});

engine('refuses a reply that is too large for the memory, and runs the next script', () => {
  const large = Buffer.from(`$${20 * MIB}\r\n${'x'.repeat(20 * MIB)}\r\n`);
  const own: ScriptRunner = new ScriptRunner({
    memoryLimitBytes: 32 * MIB,
    running: {
      large: (L) => {
        own.engine.pushReply(L, large, 0, large.length);
        return 1;
      },
    },
  });
  assert.match(own.run('return redis.large()'), /^-.*not enough memory/);
  assert.is(own.run('return select(2,pcall(redis.large))'), '$17\r\nnot enough memory\r\n');
  assert.not(own.engine.isBroken);
});

engine('says that it is broken when arguments are too large for the memory', () => {
  const own = new ScriptRunner({ memoryLimitBytes: 32 * MIB });
  const ref = own.engine.eval.compile(Buffer.from('return 1'), '@user_script') as number;
  const large = new StringList([Buffer.alloc(40 * MIB)]);
  assert.throws(
    () => own.engine.runScript(ref, large, NO_STRINGS),
    (error: unknown) => error instanceof LuaEngineError,
  );
  assert.ok(own.engine.isBroken);
});

engine('says that it is broken when a trap or the end of the stack stops a script', () => {
  const own = new ScriptRunner();
  const source = 'return string.rep("a",1e6):match(("a?"):rep(2e5))';
  assert.throws(
    () => own.run(source),
    (error: unknown) => error instanceof LuaEngineError,
  );
  assert.ok(own.engine.isBroken);
  assert.throws(() => own.run('return 1'), /broken/);
  own.renew();
  assert.is(own.run('return 1'), ':1\r\n');
});

engine('says so when a function of the host throws', () => {
  const own = new ScriptRunner({
    running: {
      fail: () => {
        throw new TypeError('mistake');
      },
    },
  });
  try {
    own.run('return redis.fail()');
    assert.unreachable();
  } catch (error) {
    assert.instance(error, LuaEngineError);
    assert.is(((error as Error).cause as Error).message, 'mistake');
  }
});

engine('ends a script that catches errors, by its interrupt', () => {
  let asked = 0;
  const own = new ScriptRunner({
    instructionsBetweenInterrupts: 1_000,
    interrupt: () => (++asked > 10 ? 'Script killed by user with SCRIPT KILL...' : undefined),
  });
  const killed = /^-ERR Script killed by user with SCRIPT KILL\.\.\./;
  assert.match(own.run('while true do pcall(function() while true do end end) end'), killed);
  asked = 0;
  assert.match(
    own.run('local f=function() while true do end end while true do pcall(f) end'),
    killed,
  );
  asked = 0;
  assert.match(own.run('coroutine.wrap(function() while true do end end)()'), /SCRIPT KILL/);
  asked = -1e9;
  assert.is(own.run('return 1'), ':1\r\n');
});

const neverEnding: readonly (readonly [what: string, source: string])[] = [
  ['a pattern', 'return (("a"):rep(1e5)):find((".-"):rep(30).."b")'],
  ['a pattern of optional characters', 'return (("a"):rep(200)):find(("a?"):rep(200).."b")'],
  ['gmatch', 'for w in (("a"):rep(1e5)):gmatch("(.-)(.-)(.-)b") do end'],
  ['gsub', 'return (("a"):rep(1e5)):gsub("(.*)(.*)(.*)b", "")'],
  [
    'patterns whose errors are caught',
    'while true do pcall(string.find,("a"):rep(1e5),(".*"):rep(30).."b") end',
  ],
  [
    'coroutines',
    'while true do coroutine.resume(coroutine.create(function() while true do end end)) end',
  ],
  [
    'a handler of errors',
    'while true do xpcall(function() while true do end end, function() while true do end end) end',
  ],
  [
    'finalizers, which are not called',
    `getmetatable(newproxy(true)).__gc = function() while true do end end
    while true do collectgarbage() end`,
  ],
  [
    'coroutines of coroutines',
    `local function f() while true do coroutine.resume(coroutine.create(function() while true do end end)) end end
    while true do coroutine.resume(coroutine.create(f)) end`,
  ],
];

for (const [what, source] of neverEnding) {
  engine(`ends by its interrupt what never ends: ${what}`, () => {
    let asked = 0;
    const own = new ScriptRunner({ interrupt: () => (++asked > 3 ? 'enough' : undefined) });
    assert.match(own.run(source), /^-ERR enough/);
    // A few times for each coroutine, and not for all that is left in each.
    assert.ok(asked < 100_000, String(asked));
    asked = -1e9;
    assert.is(own.run('return 1'), ':1\r\n');
  });
}

const slow: readonly (readonly [what: string, source: string])[] = [
  ['long strings', 'for i = 1, 20 do local s = ("a"):rep(1e7) end'],
  ['long strings put together', 'local s = ("a"):rep(1e6) for i = 1, 100 do local t = s .. i end'],
  [
    'elements put together',
    'local t = {} for i = 1, 1e4 do t[i] = "a" end for i = 1, 100 do table.concat(t) end',
  ],
  ['a string repeated', 'local s = (""):rep(1e7)'],
  ['sorting', 'local t = {} for i = 1, 1e5 do t[i] = (i * 7919) % 1e5 end table.sort(t)'],
  [
    'moving elements',
    'local t = {} for i = 1, 1e4 do t[i] = i end for i = 1, 100 do table.insert(t, 1, i) end',
  ],
  [
    'searches for plain text',
    'local s = ("a"):rep(1e3):rep(1e4) for i = 1, 20 do s:find("b", 1, true) end',
  ],
  [
    'digests of long strings',
    'local s = ("a"):rep(1e3):rep(1e4) for i = 1, 20 do redis.sha1hex(s) end',
  ],
  [
    'reading long JSON',
    'local s = (" "):rep(1e3):rep(1e4).."1" for i = 1, 20 do cjson.decode(s) end',
  ],
  [
    'compiling branches',
    'local s = "if x == 1 then y = 1 "..("elseif x == 2 then y = 2 "):rep(2e4).."end" loadstring(s)',
  ],
  ['collecting garbage', 'for i = 1, 20 do collectgarbage() end'],
];

for (const [what, source] of slow) {
  engine(`is interrupted as time passes, though it takes few instructions: ${what}`, () => {
    let asked = 0;
    const own = new ScriptRunner({ interrupt: () => void (asked += 1) });
    own.run(source);
    assert.ok(asked >= 10, String(asked));
  });
}

engine('finds the line that runs, from an interrupt', () => {
  let line = 0;
  const own = new ScriptRunner({
    instructionsBetweenInterrupts: 1_000,
    interrupt: (L) => {
      line = own.engine.currentPlace(L)?.line ?? 0;
      return 'enough';
    },
  });
  own.run('local x = 0\n\nwhile true do x = x + 1 end');
  assert.is(line, 3);
});

engine('answers errors of syntax by their text', () => {
  assert.match(runner.run('return ('), /user_script:1: unexpected symbol near '<eof>'/);
});

engine('gives globals back that a script has taken from the state', () => {
  const own = new ScriptRunner();
  own.run('setfenv(0,{})');
  assert.is(own.run('return tostring(1)'), '$1\r\n1\r\n');
});

engine('protects the metatable of strings, which 7.4.1 does not', () => {
  assert.match(runner.run('getmetatable("").__index = {}'), /Attempt to modify a readonly table/);
  assert.match(runner.run('rawset(getmetatable(""),"x",1)'), /Attempt to modify a readonly table/);
});

engine('keeps what is read-only read-only while the collector runs', () => {
  for (let round = 0; round < 5; round += 1) {
    runner.run('collectgarbage() local t={} for i=1,1e4 do t[i]={} end collectgarbage()');
    assert.match(runner.run('redis.x = 1'), /Attempt to modify a readonly table/);
    assert.is(runner.run('local t={} t.x=1 return t.x'), ':1\r\n');
  }
});

engine('frees what scripts leave behind', () => {
  const own = new ScriptRunner();
  for (let round = 0; round < 300; round += 1) own.run('local t={} for i=1,1000 do t[i]={} end');
  assert.ok(own.engine.usedBytes < 16 * MIB, String(own.engine.usedBytes));
  assert.ok(own.engine.memoryBytes <= 32 * MIB, String(own.engine.memoryBytes));
});

engine('replies to error tables without a text, which end 7.4.1', () => {
  assert.match(runner.run('error({})'), /^-ERR execution failure script: /);
  assert.match(runner.run('error({1})'), /^-ERR execution failure script: /);
});

engine('keeps line ends out of big numbers and of errors', () => {
  assert.is(runner.run('return {big_number="1\\r\\n2"}', 3), '(1  2\r\n');
  assert.match(runner.run('error("a\\r\\nb",0)'), /^-ERR a {2}b script: [^\r]*\r\n$/);
});

engine('runs functions with keys and arguments, once their library has loaded', () => {
  const refs: number[] = [];
  const own = new ScriptRunner({
    loading: {
      register_function: (L) => {
        const { api } = own.engine.vm;
        api.lua_pushvalue(L, 2);
        refs.push(api.luaL_ref(L, -10_000));
        return 0;
      },
    },
  });
  const source =
    "redis.register_function('f', function(keys, args) return redis.REDIS_VERSION end)";
  assert.is(own.load(source), undefined);
  const { functions } = own.engine;
  assert.is(own.engine.runFunction(refs[0]!, NO_STRINGS, NO_STRINGS), undefined);
  assert.is(own.engine.vm.topText(functions.L), '7.4.1');
  own.engine.finish(functions);
});

const faults: readonly (readonly [source: string, error: RegExp])[] = [
  ['redis.call("x")', /attempted to access nonexistent global variable 'call'/],
  ['redis.math.random()', /nonexistent global variable 'math'/],
  ['redis.redis.call()', /nonexistent global variable 'redis'/],
  ['local m = getmetatable(_G)', /nonexistent global variable 'getmetatable'/],
  ['a = 1', /Attempt to modify a readonly table/],
  ['redis.x = 1', /Attempt to modify a readonly table/],
  ['error("boo")', /nonexistent global variable 'error'/],
  ['return {} .. 1', /attempt to concatenate a table value/],
];
for (const [source, expected] of faults) {
  engine(`while a library loads: ${source}`, () => {
    const error = runner.load(source);
    assert.match(typeof error === 'string' ? error : (error?.message ?? ''), expected);
  });
}

engine('hides what libraries have while they load from functions that run', () => {
  let ref = 0;
  const own = new ScriptRunner({
    loading: {
      register_function: (L) => {
        own.engine.vm.api.lua_pushvalue(L, 1);
        ref = own.engine.vm.api.luaL_ref(L, -10_000);
        return 0;
      },
    },
  });
  const run = (body: string): string => {
    own.load(`redis.register_function(function() ${body} end)`);
    const error = own.engine.runFunction(ref, NO_STRINGS, NO_STRINGS);
    own.engine.finish(own.engine.functions);
    return error?.message ?? '';
  };
  assert.match(run('redis.register_function()'), /field 'register_function' \(a nil value\)/);
  assert.match(run('mt = getmetatable(_G) mt.__index.redis = 1'), /readonly table/);
  assert.match(run('return nosuch'), /nonexistent global variable 'nosuch'/);
  assert.match(run('x = 1'), /readonly table/);
  assert.is(run('return redis.call("GET","str")'), '');
});

engine.run();
