/** HELP of a container: Redis' frame around our own lines. */

import type { ReplyWriter } from '#resp';

/** A form of a subcommand, and what it does: one line, or several. */
type HelpEntry = readonly [form: string, ...meaning: string[]];

/** Replies with an array of status lines, like every HELP of Redis. */
export function helpReply(
  reply: ReplyWriter,
  container: string,
  entries: readonly HelpEntry[],
): void {
  const lines = [
    `${container} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`,
    ...entries.flatMap(([form, ...meaning]) => [form, ...meaning.map((line) => `    ${line}`)]),
    'HELP',
    '    Print this help.',
  ];
  reply.arrayHeader(lines.length);
  for (const line of lines) reply.simple(line);
}
