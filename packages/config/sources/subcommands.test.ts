import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupHelp, helpText, subcommandHelp } from './help.ts';
import {
  findSubcommand,
  readSubcommand,
  splitArguments,
  subcommand,
  subcommandNames,
} from './subcommands.ts';
import { serverOptions } from './server-options.ts';

const tables = suite('tables of subcommands and options');

tables('finds subcommands of one and of two words', () => {
  assert.equal(findSubcommand(['doctor', '--json']), { name: 'doctor', args: ['--json'] });
  assert.equal(findSubcommand(['cluster', 'bundle', 'x']), { name: 'cluster bundle', args: ['x'] });
  assert.is(findSubcommand(['cluster']), undefined);
  assert.is(findSubcommand(['--doctor']), undefined);
});

tables('reads values, defaults, flags and operands', () => {
  const given = readSubcommand('bundle inspect', ['--json', 'a.tar.gz']);
  assert.is(given.has('json'), true);
  assert.equal(given.operands, ['a.tar.gz']);
  const other = readSubcommand('doctor', ['--user', 'me', '--address=[::1]:1']);
  assert.is(other.text('user'), 'me');
  assert.is(other.text('address'), '[::1]:1');
  assert.is(other.has('tls'), false);
  assert.is(readSubcommand('doctor', []).text('address'), '127.0.0.1:6379');
});

tables('reads values of the environment, and options that are repeated', () => {
  const set = { REDISCLI_AUTH: 'word' };
  assert.is(readSubcommand('doctor', [], set).text('password'), 'word');
  assert.is(readSubcommand('doctor', ['--password', 'other'], set).text('password'), 'other');
  assert.is(readSubcommand('doctor', [], {}).text('password'), '');
  const given = readSubcommand('bench', ['--command', 'PING', '--command', 'TIME'], {});
  assert.equal(given.texts('command'), ['PING', 'TIME']);
  assert.equal(readSubcommand('bench', [], {}).texts('command'), []);
});

const mistakes: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
  [['--nope'], /Unknown option '--nope'; svc-server bundle inspect --help/],
  [[], /FILE is missing/],
  [['a', 'b'], /belongs to no option/],
  [['--json=x', 'a'], /does not take an argument/],
];
for (const [args, reason] of mistakes) {
  tables(`refuses bundle inspect ${args.join(' ')}`, () => {
    assert.throws(() => readSubcommand('bundle inspect', args), reason);
  });
}

tables('splits own options from those of the server', () => {
  const args = ['--from', 'a', '--port', '1', '--to-time=5', '--dry-run', '--set=a.b=c', '--from'];
  assert.equal(splitArguments('restore', args), {
    own: ['--from', 'a', '--to-time=5', '--dry-run', '--from'],
    server: ['--port', '1', '--set=a.b=c'],
  });
});

tables('names every option and subcommand in the help', () => {
  const text = helpText();
  for (const { name, help } of serverOptions) {
    assert.match(text, `--${name}`);
    assert.match(text, help);
  }
  for (const name of subcommandNames) {
    assert.match(text, name);
    for (const option of subcommand(name).options) {
      assert.match(subcommandHelp(name), `--${option.name}`);
    }
  }
  assert.match(groupHelp('cluster'), 'Usage: svc-server cluster bundle [options]');
});

tables.run();
