/** Blocks of commands in Markdown: fenced blocks of `sh`, each either to be run or skipped with a reason. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

/** Returns every document of the repository, by its path from the root. */
export function allDocuments(): string[] {
  const below = ['configs', 'packages'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
      .map((file) => `${folder}/${file}`),
  );
  return ['README.md', 'CHANGELOG.md', ...below.sort()];
}

export function readDocument(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** One fenced block of `sh`. */
interface CommandBlock {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Text behind `sh` in the opening fence: `run`, or `skip: REASON`. */
  readonly mode: string;
  readonly lines: readonly string[];
}

/** A program's name at the start of an indented line is a command outside of a fence. */
const INDENTED_COMMAND =
  /^ {4,}(?:\$ |> )?(?:npm|npx|node|redis-[a-z]+|svc-server|curl|bpftrace|perf) /;
const FENCE = /^```(\w*) ?(.*)$/;

/** Returns the blocks of a document in order, and the numbers of lines with commands that stand in no block. */
export function readBlocks(text: string): { blocks: CommandBlock[]; strayLines: number[] } {
  const blocks: CommandBlock[] = [];
  const strayLines: number[] = [];
  let open: { language: string; mode: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = FENCE.exec(line);
    if (fence !== null && open === undefined) {
      open = { language: fence[1]!, mode: fence[2]!, line: index + 1, lines: [] };
    } else if (fence !== null && open !== undefined) {
      if (open.language === 'sh') blocks.push(open);
      open = undefined;
    } else if (open !== undefined) {
      open.lines.push(line);
    } else if (INDENTED_COMMAND.test(line)) {
      strayLines.push(index + 1);
    }
  }
  return { blocks, strayLines };
}

/** A step of a block: a server to start, or shell commands up to the next start. */
type Step =
  | { readonly kind: 'start'; readonly command: string }
  | { readonly kind: 'shell'; readonly script: string };

/** `npm start` with one of these prints and exits; with others it starts a server. */
const PRINTS = /--(?:help|version|check-|print-|export-|intrinsic-)/;

/** Returns a block as steps. */
export function stepsOf({ lines }: CommandBlock): Step[] {
  const steps: Step[] = [];
  let shell: string[] = [];
  const endShell = (): void => {
    if (shell.length > 0) steps.push({ kind: 'shell', script: shell.join('\n') });
    shell = [];
  };
  for (const line of lines) {
    if (/^npm start\b/.test(line) && !PRINTS.test(line)) {
      endShell();
      steps.push({ kind: 'start', command: line });
    } else {
      shell.push(line);
    }
  }
  endShell();
  return steps;
}
