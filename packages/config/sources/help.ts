/** Help of the program and of its subcommands, from the tables of options. */

import { serverOptions, type OptionRow } from './server-options.ts';
import { groupOf, subcommand, subcommandNames, type SubcommandName } from './subcommands.ts';

/** Column at which the description of an option begins. */
const HELP_COLUMN = 29;

function optionLine({ name, value, help }: OptionRow): string {
  const text = `  --${name}${value === undefined ? '' : ` ${value}`}`;
  const separator = text.length < HELP_COLUMN ? '' : `\n`;
  return `${text}${separator === '' ? ' '.repeat(HELP_COLUMN - text.length) : separator + ' '.repeat(HELP_COLUMN)}${help}`;
}

/** Text that `svc-server NAME --help` prints. */
export function subcommandHelp(name: SubcommandName): string {
  const { summary, operands, options, notes } = subcommand(name);
  const words = ['svc-server', name, ...operands, ...(options.length > 0 ? ['[options]'] : [])];
  const lines = [
    `Usage: ${words.join(' ')}`,
    '',
    `${summary}.`,
    '',
    ...options.map(optionLine),
    ...(notes.length > 0 ? ['', ...notes] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Help of all subcommands that begin with a word. */
export function groupHelp(word: string): string {
  return groupOf(word).map(subcommandHelp).join('\n');
}

/** Text that `--help` prints. */
export function helpText(): string {
  const width = Math.max(...subcommandNames.map((name) => name.length)) + 2;
  return `Usage: svc-server [options]
       svc-server SUBCOMMAND [--help]

${serverOptions.map(optionLine).join('\n')}

Subcommands:

${subcommandNames.map((name) => `  ${name.padEnd(width)}${subcommand(name).summary}`).join('\n')}

What exits may be written as a first word: svc-server check-data --data-dir FOLDER.
probe, backup and restore take the options of the server. probe exits with 0 if it is ready, otherwise with 1.

Values come from the defaults, the configuration file, the environment (SVC_SECTION__KEY, or
SVC_SECTION__KEY_FILE for a file that holds the value) and the command line; the later wins.
Every setting is explained in configs/server.toml.
`;
}
