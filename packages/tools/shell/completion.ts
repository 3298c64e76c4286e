/** `svc-server completion`: scripts by which shells complete options, subcommands and settings, made from their tables. */

import { readSubcommand, serverOptions, settingNames, subcommand, subcommandNames } from '#config';

const PROGRAM = 'svc-server';

/** A place on the command line, by the words before it, and what may follow there. */
interface Context {
  /** Words of the subcommand; empty for the program itself. */
  readonly words: string;
  readonly options: readonly ShellOption[];
  /** Words that may follow, with their descriptions. */
  readonly next: readonly (readonly [word: string, help: string])[];
  readonly takesFile: boolean;
}

interface ShellOption {
  readonly name: string;
  readonly help: string;
  readonly value: string | undefined;
}

/** Runs the subcommand; returns the exit code. */
export function completion(
  args: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const [shell = ''] = readSubcommand('completion', args).operands;
  const render = SHELLS.get(shell);
  if (render === undefined) throw new Error(`completion is for bash, zsh or fish, not ${shell}`);
  print(render());
  return Promise.resolve(0);
}

const SHELLS = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
]);

/** Values that are files or folders. */
const PATHS = /^(?:FILE|FOLDER|PATH)$/;

/** Returns each place of the command line: the program, groups of subcommands, and subcommands. */
function contexts(): readonly Context[] {
  const names = subcommandNames.map((name) => subcommand(name));
  const server = serverOptions.map(({ name, help, value }) => ({ name, help, value }));
  const groups = new Map<string, [string, string][]>();
  const firsts: [string, string][] = [];
  for (const { name, summary } of names) {
    const [first = '', second] = name.split(' ');
    if (second === undefined) {
      firsts.push([first, summary]);
      continue;
    }
    const known = groups.get(first);
    if (known === undefined) firsts.push([first, `subcommands of ${first}`]);
    groups.set(first, [...(known ?? []), [second, summary]]);
  }
  const words = serverOptions.filter(({ isWord }) => isWord === true);
  return [
    {
      words: '',
      options: server,
      next: [...firsts, ...words.map(({ name, help }) => [name, help] as const)],
      takesFile: false,
    },
    ...[...groups].map(([group, next]) => ({ words: group, options: [], next, takesFile: false })),
    ...names.map((row) => ({
      words: row.name,
      options: [
        ...(row.takesServerOptions === true ? server : []),
        ...row.options.map(({ name, help, value }) => ({ name, help, value })),
      ],
      next: row.operands
        .filter((operand) => operand.includes('|'))
        .flatMap((operand) => operand.split('|').map((word) => [word, ''] as const)),
      takesFile: row.operands.some((operand) => PATHS.test(operand)),
    })),
  ];
}

function wordsOf({ options, next }: Context): string {
  return [...next.map(([word]) => word), ...options.map(({ name }) => `--${name}`)].join(' ');
}

/** Options whose value is a file or folder, anywhere. */
function pathOptions(): string[] {
  const all = contexts().flatMap(({ options }) => options);
  const names = all.flatMap(({ name, value }) =>
    value !== undefined && PATHS.test(value) ? [`--${name}`] : [],
  );
  return [...new Set(names)];
}

function bash(): string {
  const cases = contexts().map((context) => {
    const file = context.takesFile ? '; files=1' : '';
    return `    '${context.words}') words='${wordsOf(context)}'${file} ;;`;
  });
  return `# Completion of ${PROGRAM} for bash: source <(${PROGRAM} completion bash)
_svc_server() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local line=' ' place='' words='' files='' index
  COMPREPLY=()
  case "$previous" in
    ${pathOptions().join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --set) compopt -o nospace; COMPREPLY=($(compgen -S = -W '${settingNames.join(' ')}' -- "$current")); return ;;
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    line="$line\${COMP_WORDS[index]} "
  done
  case "$line" in
${placeCases()}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n "$files" ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _svc_server ${PROGRAM}`;
}

/** Patterns that find the place from the words before, the longest first. */
function placeCases(): string {
  return contexts()
    .map(({ words }) => words)
    .filter((words) => words !== '')
    .sort((a, b) => b.length - a.length)
    .map((words) => `    ' ${words} '*) place='${words}' ;;`)
    .join('\n');
}

function zshText(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(':', '\\:');
}

function zsh(): string {
  const cases = contexts().map((context) => {
    const { words, next, options, takesFile } = context;
    const rows = [
      ...next.map(([word, help]) => `'${zshText(word)}:${zshText(help)}'`),
      ...options.map(({ name, help }) => `'--${name}:${zshText(help)}'`),
    ];
    return `    '${words}') rows=(${rows.join(' ')})${takesFile ? '; files=1' : ''} ;;`;
  });
  return `#compdef ${PROGRAM}
# Completion of ${PROGRAM} for zsh: source <(${PROGRAM} completion zsh)
_svc_server() {
  local line=" \${(j: :)words[2,CURRENT-1]} " place='' files=''
  local -a rows
  case "\${words[CURRENT-1]}" in
    ${pathOptions().join('|')}) _files; return ;;
    --set) compadd -S = -- ${settingNames.join(' ')}; return ;;
  esac
  case "$line" in
${placeCases()}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  _describe ${PROGRAM} rows
  if [[ -n "$files" ]]; then _files; fi
}
compdef _svc_server ${PROGRAM}`;
}

function fishText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}

function fish(): string {
  const lines = contexts().flatMap(({ words, options, next, takesFile }) => {
    const condition = `-n "__svc_server_at '${words}'"`;
    const start = `complete -c ${PROGRAM} ${condition}`;
    return [
      ...next.map(([word, help]) => `${start} -a ${word} -d '${fishText(help)}'`),
      ...options.map((option) => {
        const value = option.value === undefined ? '' : valueOf(option.name, option.value);
        return `${start} -l ${option.name}${value} -d '${fishText(option.help)}'`;
      }),
      ...(takesFile ? [`${start} -F`] : []),
    ];
  });
  return `# Completion of ${PROGRAM} for fish: ${PROGRAM} completion fish | source
set -g __svc_server_places ${contexts()
    .map(({ words }) => words)
    .filter((words) => words !== '')
    .sort((a, b) => b.length - a.length)
    .map((words) => `'${words}'`)
    .join(' ')}
function __svc_server_at
  set -l line (string join ' ' -- (commandline -opc)[2..-1])
  set -l place ''
  for each in $__svc_server_places
    if test "$line" = "$each"; or string match -q -- "$each *" "$line"
      set place $each
      break
    end
  end
  test "$place" = "$argv[1]"
end
complete -c ${PROGRAM} -f
${lines.join('\n')}`;
}

function valueOf(option: string, value: string): string {
  if (PATHS.test(value)) return ' -r -F';
  if (option !== 'set') return ' -x';
  return ` -x -a '${settingNames.map((name) => `${name}=`).join(' ')}'`;
}
