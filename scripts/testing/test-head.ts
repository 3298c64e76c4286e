/**
 * Requests that a test file makes in its first lines, where a reader sees them.
 *
 *   // test-tier: long             `npm test` leaves the file out, `npm test -- --all` runs it
 *   // test-process: own           the unit file keeps something global: it shares no process with others
 *   // test-again: NAME=value ...  the file is run once more with these variables, as a long run
 */

/** Lines of a file in which requests count. */
const HEAD_LINES = 12;
const LONG = /^\/\/ test-tier: long$/m;
const OWN_PROCESS = /^\/\/ test-process: own$/m;
const AGAIN = /^\/\/ test-again: (\w+=\S+(?: \w+=\S+)*)$/gm;
const REQUEST = /\btest-(?:tier|process|again):/;

/** Requests of one test file. */
export interface TestHead {
  readonly isLong: boolean;
  readonly needsOwnProcess: boolean;
  /** Variables of further runs, each as `NAME=value NAME=value`. */
  readonly again: readonly string[];
  /** First line that looks like a request and is none. */
  readonly unreadLine: string | undefined;
}

/** Reads the requests of a source. */
export function readHead(source: string): TestHead {
  const head = source.split('\n', HEAD_LINES).join('\n');
  return {
    isLong: LONG.test(head),
    needsOwnProcess: OWN_PROCESS.test(head),
    again: [...head.matchAll(AGAIN)].map(([, variables]) => variables!),
    unreadLine: head.split('\n').find(isUnread)?.trim(),
  };
}

function isUnread(line: string): boolean {
  if (!REQUEST.test(line)) return false;
  return ![LONG, OWN_PROCESS].some((form) => form.test(line)) && line.match(AGAIN) === null;
}

/** Reads variables written as `NAME=value NAME=value`. */
export function variablesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  );
}
