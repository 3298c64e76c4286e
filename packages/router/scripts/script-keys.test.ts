import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { staysOnItsKeys } from './script-keys.ts';

const keys = suite('keys of scripts');

const STAY: readonly string[] = [
  'return 1',
  "return redis.call('GET', KEYS[1])",
  'return redis.pcall("get",KEYS[1])',
  "for i = 1, #KEYS do redis.call('INCR', KEYS[i]) end",
  "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end",
  "local t = redis.call('TIME') redis.call('SET', KEYS[1], t[1], 'EX', ARGV[1])",
  "redis.log(redis.LOG_NOTICE, 'KEYS = redis.call') return redis.error_reply('x')",
  "-- KEYS[1] = 'x'\n--[[ _G ]] return redis.call('TTL', KEYS[1])",
  "#!lua flags=no-writes\nreturn redis.call('GET', KEYS[1])",
  "local a, b = redis.call('GET', KEYS[1]), KEYS[2] return a",
];

const UNKNOWN: readonly string[] = [
  "return redis.call('GET', 'other')",
  "return redis.call('GET', ARGV[1])",
  "return redis.call('GET', KEYS[1] .. 'x')",
  "return redis.call('RENAME', KEYS[1], 'x')",
  "return redis.call('MGET', KEYS[1], 'x')",
  "return redis.call('DEL', KEYS[1], 'x')",
  "return redis.call('DBSIZE')",
  "return redis.call('PUBLISH', KEYS[1], 'x')",
  "return redis.call('SORT', KEYS[1], 'BY', 'w_*')",
  "return redis.call('ZUNIONSTORE', KEYS[1], 1, 'x')",
  'return redis.call(ARGV[1], KEYS[1])',
  "return redis['call']('GET', 'x')",
  "local call = redis.call return call('GET', 'x')",
  "local r = redis return r.call('GET', 'x')",
  "KEYS[1] = 'x' return redis.call('GET', KEYS[1])",
  "KEYS[1], KEYS[2] = 'x', 'y' return redis.call('GET', KEYS[1])",
  "local k = KEYS k[1] = 'x' return redis.call('GET', KEYS[1])",
  "table.insert(KEYS, 'x') return redis.call('GET', KEYS[1])",
  "return _G['redis'].call('GET', 'x')",
  "return getfenv().redis.call('GET', 'x')",
  "return loadstring('return redis.call(...)')('GET', 'x')",
  "return server.call('GET', 'x')",
];

for (const source of STAY) {
  keys(`stays: ${source}`, () => assert.is(staysOnItsKeys(source), true));
}
for (const source of UNKNOWN) {
  keys(`unknown: ${source}`, () => assert.is(staysOnItsKeys(source), false));
}

keys.run();
