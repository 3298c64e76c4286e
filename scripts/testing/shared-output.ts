/** Lines that part the output of a process which runs several test files. */

/** Output of one file of a shared process. */
interface FilePart {
  readonly file: string;
  readonly output: string;
  /** Undefined when the process ended before the file had. */
  readonly exitCode: number | undefined;
  readonly durationMs: number;
}

/** Line before the output of a file. */
export function startLine(file: string): string {
  return `\n--- test file ${file}\n`;
}

/** Line after the output of a file. */
export function endLine(file: string, exitCode: number, ms: number): string {
  return `\n--- test file ${file} ended with ${exitCode} after ${ms.toFixed(0)} ms\n`;
}

/** Parts the output of a shared process; files that were never started are not among them. */
export function partsOf(output: string): FilePart[] {
  const pieces = output.split(/^--- test file /m).slice(1);
  const parts: FilePart[] = [];
  for (const piece of pieces) {
    const [line = '', ...rest] = piece.split('\n');
    const end = /^(\S+) ended with (\d+) after (\d+) ms$/.exec(line);
    const last = parts.at(-1);
    if (end === null || last === undefined) {
      parts.push({ file: line, output: rest.join('\n'), exitCode: undefined, durationMs: 0 });
    } else {
      const ended = { exitCode: Number(end[2]), durationMs: Number(end[3]) };
      parts[parts.length - 1] = { ...last, ...ended };
    }
  }
  return parts;
}
