/** Completion scripts and the manual page, by the programs that read them. */

import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { settingNames } from '#config';
import { mainFile } from '#testkit';

const shell = suite('completion and manual page');

function printed(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [mainFile, ...args], {
    encoding: 'utf8',
  });
  assert.is(stderr, '');
  assert.is(status, 0);
  return stdout;
}

/** Completes a line in bash, whose last word is being typed. */
function completed(script: string, ...words: readonly string[]): string[] {
  const list = ['svc-server', ...words].map((word) => `'${word}'`).join(' ');
  const commands = `compopt() { :; }
${script}
COMP_WORDS=(${list}); COMP_CWORD=${words.length}
_svc_server
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-s'], { input: commands, encoding: 'utf8' });
  assert.is(stderr, '');
  return stdout.split('\n').filter((line) => line !== '');
}

let script = '';
const lines: readonly (readonly [words: readonly string[], has: readonly string[]])[] = [
  [['do'], ['doctor']],
  [['--pri'], ['--print-config']],
  [
    ['cluster', ''],
    ['rebalance', 'bundle'],
  ],
  [['cluster', 'bundle', '--out'], ['--output']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', '--help'],
  ],
  [['--port', '1', '--shar'], ['--shards']],
  [['probe', '--http'], ['--http-port']],
  [['--set', 'server.shar'], ['server.shards=']],
];
for (const [words, has] of lines) {
  shell(`bash completes ${words.join(' ')}`, () => {
    script ||= printed('completion', 'bash');
    assert.equal(completed(script, ...words), has);
  });
}

shell('other shells have all subcommands and settings', () => {
  for (const name of ['zsh', 'fish']) {
    const text = printed('completion', name);
    for (const word of ['doctor', 'rebalance', '--print-config'.slice(2), 'password-file']) {
      assert.match(text, word);
    }
    assert.match(text, settingNames.at(-1)!);
  }
});

shell('the manual page is roff that groff reads without a warning', () => {
  const text = printed('man');
  const { stdout, stderr, error } = spawnSync(
    'groff',
    ['-man', '-Tascii', '-ww', '-P-cbou', '-rLL=200n'],
    { input: text, encoding: 'utf8', maxBuffer: 2 ** 24 },
  );
  // Not every machine has groff; its grammar is then not checked.
  if (error === undefined) {
    assert.is(stderr, '');
    assert.match(stdout, '--print-config');
    assert.match(stdout, 'svc-server doctor [options]');
  }
  for (const name of settingNames) assert.match(text, name.replaceAll('-', '\\-'));
});

shell('an unknown shell is refused', () => {
  const { status, stderr } = spawnSync(process.execPath, [mainFile, 'completion', 'csh'], {
    encoding: 'utf8',
  });
  assert.is(status, 1);
  assert.match(stderr, 'bash, zsh or fish, not csh');
});

shell.run();
