/** EVAL, EVALSHA, FCALL and their read-only forms: a script in the shard that hosts its keys. */

import type { ArgumentDoc, Flag, OneShardCommand } from '../definition/definition.ts';
import { oneShard } from '../definition/definition.ts';
import { countedKeys } from '../definition/keys.ts';
import type { ScriptCall } from '../contexts/script-ports.ts';

const FLAGS: readonly Flag[] = ['noscript', 'stale', 'skip_monitor', 'no_mandatory_keys'];

interface Form {
  readonly name: string;
  readonly summary: string;
  readonly since: string;
  /** First argument, which says what is run. */
  readonly what: ArgumentDoc;
  readonly call: ScriptCall;
  readonly isFunction?: true;
}

function runner({ name, summary, since, what, call, isFunction }: Form): OneShardCommand {
  const { isReadOnly } = call;
  return oneShard({
    name,
    summary,
    since,
    complexity: 'Depends on the script that is executed.',
    group: 'scripting',
    arity: -3,
    flags: isReadOnly ? ['readonly', ...FLAGS] : [...FLAGS, 'may_replicate'],
    keys: isReadOnly ? countedKeys(2, 'RO', 'access') : countedKeys(2, 'RW', ['access', 'update']),
    args: [
      what,
      { name: 'numkeys', type: 'integer' },
      { name: 'key', type: 'key', optional: true, multiple: true },
      { name: 'arg', type: 'string', optional: true, multiple: true },
    ],
    script: isFunction === true ? 'function' : call.isNamed ? 'digest' : 'source',
    run({ scripts }, args) {
      if (isFunction === true) scripts.call(args, call);
      else scripts.eval(args, call);
    },
  });
}

const source: ArgumentDoc = { name: 'script', type: 'string' };
const digest: ArgumentDoc = { name: 'sha1', type: 'string' };
const functionName: ArgumentDoc = { name: 'function', type: 'string' };

export const evalCommands = [
  runner({
    name: 'EVAL',
    summary: 'Runs a Lua script.',
    since: '2.6.0',
    what: source,
    call: { isNamed: false, isReadOnly: false },
  }),
  runner({
    name: 'EVALSHA',
    summary: 'Runs a Lua script by the SHA-1 digest of its source.',
    since: '2.6.0',
    what: digest,
    call: { isNamed: true, isReadOnly: false },
  }),
  runner({
    name: 'EVAL_RO',
    summary: 'Runs a read-only Lua script.',
    since: '7.0.0',
    what: source,
    call: { isNamed: false, isReadOnly: true },
  }),
  runner({
    name: 'EVALSHA_RO',
    summary: 'Runs a read-only Lua script by the SHA-1 digest of its source.',
    since: '7.0.0',
    what: digest,
    call: { isNamed: true, isReadOnly: true },
  }),
  runner({
    name: 'FCALL',
    summary: 'Calls a function of a library.',
    since: '7.0.0',
    what: functionName,
    call: { isNamed: true, isReadOnly: false },
    isFunction: true,
  }),
  runner({
    name: 'FCALL_RO',
    summary: 'Calls a read-only function of a library.',
    since: '7.0.0',
    what: functionName,
    call: { isNamed: true, isReadOnly: true },
    isFunction: true,
  }),
];
