/** `svc-server man`: the manual page in roff, from the tables of options, subcommands and settings. */

import {
  BUILD,
  readSubcommand,
  rowOf,
  serverOptions,
  settingNames,
  subcommand,
  subcommandNames,
  VERSION,
} from '#config';

/** Runs the subcommand; returns the exit code. */
export function man(args: readonly string[], print: (text: string) => void): Promise<number> {
  readSubcommand('man', args);
  print(manPage());
  return Promise.resolve(0);
}

/** Returns the manual page. */
function manPage(): string {
  const date = (BUILD?.time ?? '').slice(0, 10);
  return [
    `.TH SVC\\-SERVER 1 "${date}" "svc-server ${VERSION}" "User Commands"`,
    '.SH NAME',
    'svc\\-server \\- RESP\\-compatible key\\-value server',
    '.SH SYNOPSIS',
    '.B svc\\-server',
    '[options]',
    ...subcommandNames.flatMap((name) => [
      '.br',
      `.B svc\\-server ${roff(name)}`,
      roff(synopsisOf(name)),
    ]),
    '.SH DESCRIPTION',
    roff(
      'Without a subcommand the server starts in the foreground. Values come from the defaults, the configuration file, the environment (SVC_SECTION__KEY, or SVC_SECTION__KEY_FILE for a file that holds the value) and the command line; the later wins.',
    ),
    '.SH OPTIONS',
    ...serverOptions.flatMap(optionItem),
    '.SH SUBCOMMANDS',
    ...subcommandNames.flatMap(subcommandSection),
    '.SH SETTINGS',
    roff('Settings of the configuration file, --set and the environment, with their defaults.'),
    ...settingNames.flatMap(settingItem),
  ].join('\n');
}

function synopsisOf(name: (typeof subcommandNames)[number]): string {
  const { operands, options } = subcommand(name);
  return [...operands, ...(options.length > 0 ? ['[options]'] : [])].join(' ');
}

function subcommandSection(name: (typeof subcommandNames)[number]): string[] {
  const { summary, options, notes } = subcommand(name);
  const about = [`${summary}.`, ...notes].join(' ');
  return [`.SS ${roff(name)}`, roff(about), ...options.flatMap(optionItem)];
}

interface Option {
  readonly name: string;
  readonly value?: string;
  readonly help: string;
}

function optionItem({ name, value, help }: Option): string[] {
  const placeholder = value === undefined ? '' : ` \\fI${roff(value)}\\fR`;
  return ['.TP', `\\fB\\-\\-${roff(name)}\\fR${placeholder}`, roff(help)];
}

function settingItem(name: (typeof settingNames)[number]): string[] {
  const { meaning, kind, default: usual } = rowOf(name);
  const about = `${meaning} ${kind.allowed}. Default: ${kind.toml(usual)}`;
  return ['.TP', `\\fB${roff(name)}\\fR`, roff(about)];
}

/** Returns text in which nothing is a request or an escape of roff. */
function roff(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('\n', ' ');
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}
