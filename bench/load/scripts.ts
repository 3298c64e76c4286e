/** Scripts: single ones that compute, and those that have to stop all shards, one after the other. */

import { createHash } from 'node:crypto';
import type { ChildServer } from '#testkit';
import { quoted } from './generator.ts';

/** One command. */
const GET = "return redis.call('GET', KEYS[1])";
/** A token bucket, in five commands. */
const LIMITER = `local now = redis.call('TIME')
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local at = tonumber(now[1]) + tonumber(now[2]) / 1e6
local tokens = math.min(tonumber(ARGV[1]), (bucket[1] or ARGV[1]) + (at - (bucket[2] or at)) * ARGV[2])
if tokens < 1 then return {0, redis.call('PTTL', KEYS[1])} end
redis.call('HSET', KEYS[1], 'tokens', tokens - 1, 'at', at)
redis.call('EXPIRE', KEYS[1], 60)
return {1, redis.call('HGET', KEYS[1], 'tokens')}`;

/** Command of a round that calls a script by its digest, and the one that makes the script known. */
interface ScriptCommands {
  readonly command: string;
  readonly fill: string;
}

function callOf(source: string, args: string): ScriptCommands {
  const digest = createHash('sha1').update(source).digest('hex');
  return { command: `EVALSHA ${digest} ${args}`, fill: `EVAL ${quoted(source)} ${args}` };
}

const GET_ARGUMENTS = '1 key:{key}';

export const SCRIPT_COMMANDS = {
  evalsha_get: callOf(GET, GET_ARGUMENTS),
  evalsha_limiter: callOf(LIMITER, '1 limit:{key} 1000 100'),
  eval_get: { ...callOf(GET, GET_ARGUMENTS), command: `EVAL ${quoted(GET)} ${GET_ARGUMENTS}` },
} as const;

const ITEMS_OF_10_KB = 250;
const CJSON_TURNS = 200;
const document = `local items = {}
for n = 1, ${String(ITEMS_OF_10_KB)} do items[n] = {id = n, name = 'name of ' .. n, tags = {'a', 'b'}} end`;

/** Sources whose run takes long enough to be measured alone. */
const COMPUTING = {
  'loop of 10 M': 'local sum = 0 for n = 1, 1e7 do sum = sum + n end return tostring(sum)',
  'cjson encode': `${document} local text
    for n = 1, ${String(CJSON_TURNS)} do text = cjson.encode(items) end return #text`,
  'cjson decode': `${document} local text, back = cjson.encode(items)
    for n = 1, ${String(CJSON_TURNS)} do back = cjson.decode(text) end return #back`,
} as const;

/** Keys that the script does not declare, on any shards. */
const BARRIER = "return redis.call('INCR', 'barrier:a') + redis.call('INCR', 'barrier:b')";

/** Milliseconds of each computing script, and how many scripts that touch undeclared keys run in a second. */
export interface ScriptFigures {
  readonly computingMs: Readonly<Record<string, number>>;
  readonly barriersPerSecond: number;
}

export async function scriptFigures(server: ChildServer, scale: number): Promise<ScriptFigures> {
  const client = await server.client({ waitMs: 600_000 });
  const computingMs: Record<string, number> = {};
  for (const [name, source] of Object.entries(COMPUTING)) {
    const sinceMs = performance.now();
    await client.call('EVAL', source, 0);
    computingMs[name] = performance.now() - sinceMs;
  }
  const count = 20_000 * scale;
  const sinceMs = performance.now();
  for (let nth = 0; nth < count; nth += 1) await client.call('EVAL', BARRIER, 0);
  const barriersPerSecond = (count / (performance.now() - sinceMs)) * 1_000;
  await client.end();
  return { computingMs, barriersPerSecond };
}
