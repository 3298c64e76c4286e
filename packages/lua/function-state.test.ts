/** Functions that keep something between calls, found by what they were compiled to. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ScriptRunner } from './script-runner.test-helper.ts';
import { REGISTRY_INDEX } from './wasm/api.ts';

const state = suite('state of functions');

const keeping: readonly string[] = [
  'local n = 0 register(function() n = n + 1 return n end)',
  'local n local function add() n = 1 end register(function() add() end)',
  'local t = {} register(function(keys) t[keys[1]] = 1 end)',
  'local t = {} register(function(keys) table.insert(t, 1) end)',
  'local t = {} local call = redis.log register(function(keys) call(t, 1) end)',
  'local t = {} register(function(keys) rawset(t, 1, 1) end)',
  'local M = {n = 0} function M.f() M.n = 1 end register(function() M.f() end)',
  'local M = {} function M:f() self.n = 1 end register(function() M:f() end)',
  'local function counter() local n = 0 return function() n = n + 1 return n end end register(counter())',
  'local n = 0 register(function() return (function() n = n + 1 return n end)() end)',
  'local t = {{}} local u = t register(function(keys) local x if keys then x = u[1] else x = {} end x.n = 1 end)',
];

const forgetting: readonly string[] = [
  'register(function(keys, args) return redis.call("GET", keys[1]) end)',
  'local PREFIX = "a" register(function(keys) return PREFIX .. keys[1] end)',
  'local redis = redis register(function(keys) local t = {} t[1] = redis.call("GET", keys[1]) return t end)',
  'local log = redis.log register(function(keys) return log(1, keys[1]) end)',
  'local NAMES = {a = 1, b = {2}} register(function(keys) return NAMES[keys[1]] end)',
  'register(function(keys) local n = 0 local function add() n = n + 1 end add() return n end)',
  'local function help(x) local t = {} t[1] = x return t end register(function(keys) return help(1) end)',
  `register(function(keys) return {${'1,'.repeat(600)}} end)`,
];

/** Judges the function that a library registers. */
function keepsState(source: string): boolean {
  let ref = 0;
  const runner = new ScriptRunner({
    loading: {
      register: (L) => {
        ref = runner.engine.vm.api.luaL_ref(L, REGISTRY_INDEX);
        return 0;
      },
    },
  });
  const { engine } = runner;
  const body = source.replace('register(', 'redis.register(');
  const chunk = engine.functions.compile(Buffer.from(body), '@user_function') as number;
  assert.is(engine.load(chunk)?.message, undefined);
  return engine.keepsState(ref);
}

for (const source of keeping) {
  state(`keeps something: ${source}`, () => {
    assert.ok(keepsState(source));
  });
}

for (const source of forgetting) {
  state(`keeps nothing: ${source.slice(0, 100)}`, () => {
    assert.not(keepsState(source));
  });
}

state.run();
