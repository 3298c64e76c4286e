/**
 * A selector: commands, keys and channels that belong together. A user has one, its root, and may have others; a command is
 * allowed when one selector allows all of it.
 */

import { type Bytes, latin1, untilNul } from '#base';
import {
  ACL_CATEGORIES,
  aclCategories,
  type Arguments,
  type CommandEntry,
  commandTable,
  findKeys,
  isAclCategory,
  type KeySpec,
} from '#commands';
import { ABSENT_COMMANDS } from './absent-commands.ts';
import { Patterns, Permission, type Pattern } from './patterns.ts';
import { RuleError } from './rule-faults.ts';
import { ALLOWED, Denied, denial, type Verdict } from '../verdict.ts';

/** Letters of `%RW~pattern`. */
const PERMISSION_LETTERS: Readonly<Record<string, number>> = {
  R: Permission.read,
  W: Permission.write,
};

/** Commands of each category. */
const commandsOfCategory = groupByCategory();

export class Selector {
  allowsAllKeys = false;
  allowsAllChannels: boolean;
  /** True when every command is allowed, and nothing was taken away since. */
  allowsAllCommands = false;
  /** True when the rules of commands begin with all of them, so that commands of later versions are allowed, too. */
  #beginsWithAll = false;
  /** 1 for each command that is allowed, by its id. */
  #commands = new Uint8Array(commandTable.entries.length);
  /** First arguments with which a command is allowed that is not allowed as such, in lower case, by the command's id. */
  #firstArguments = new Map<number, readonly string[]>();
  /** Rules of commands in the order given, with their sign. */
  #rules: readonly string[] = [];
  /** Permissions by the text of a pattern; both in the order given. */
  #keys = new Map<string, number>();
  #channels = new Set<string>();
  #keyMatcher: Patterns | undefined;
  #channelMatcher: Patterns | undefined;

  constructor(allowsAllChannels: boolean) {
    this.allowsAllChannels = allowsAllChannels;
  }

  copy(): Selector {
    const copy = new Selector(this.allowsAllChannels);
    copy.allowsAllKeys = this.allowsAllKeys;
    copy.allowsAllCommands = this.allowsAllCommands;
    copy.#beginsWithAll = this.#beginsWithAll;
    copy.#commands = this.#commands.slice();
    copy.#firstArguments = new Map(this.#firstArguments);
    copy.#rules = this.#rules;
    copy.#keys = new Map(this.#keys);
    copy.#channels = new Set(this.#channels);
    return copy;
  }

  /** True when nothing is forbidden. */
  get isUnrestricted(): boolean {
    return this.allowsAllCommands && this.allowsAllKeys && this.allowsAllChannels;
  }

  /** Patterns of channels, without the mark. */
  get channels(): readonly string[] {
    return [...this.#channels];
  }

  // Rules.

  /** Applies a rule (a character for each byte); throws a {@link RuleError}. */
  apply(rule: string): void {
    const word = untilNul(rule).toLowerCase();
    switch (word) {
      case 'allkeys':
      case '~*':
        this.#clearKeys(true);
        return;
      case 'resetkeys':
        this.#clearKeys(false);
        return;
      case 'allchannels':
      case '&*':
        this.#clearChannels(true);
        return;
      case 'resetchannels':
        this.#clearChannels(false);
        return;
      case 'allcommands':
      case '+@all':
        this.#setAllCommands(true);
        return;
      case 'nocommands':
      case '-@all':
        this.#setAllCommands(false);
        return;
      default:
        this.#applyMarked(rule, untilNul(rule));
    }
  }

  #applyMarked(rule: string, text: string): void {
    const mark = rule[0];
    if (mark === '~' || mark === '%') this.#addKeyPattern(rule);
    else if (mark === '&') this.#addChannel(rule.slice(1));
    else if (mark !== '+' && mark !== '-') throw new RuleError('syntax');
    else if (text[1] === '@') this.#applyCategory(text.slice(1), mark === '+');
    else if (mark === '+' && text.includes('|')) this.#allowPart(text.slice(1));
    else this.#applyCommand(text.slice(1), mark === '+');
  }

  /** True when no pattern of keys allows only reading, or only writing. */
  get #allowsBothAlways(): boolean {
    for (const permissions of this.#keys.values()) {
      if (permissions !== Permission.both) return false;
    }
    return true;
  }

  #clearKeys(all: boolean): void {
    this.allowsAllKeys = all;
    this.#keys.clear();
    this.#keyMatcher = undefined;
  }

  #clearChannels(all: boolean): void {
    this.allowsAllChannels = all;
    this.#channels.clear();
    this.#channelMatcher = undefined;
  }

  #setAllCommands(all: boolean): void {
    this.allowsAllCommands = all;
    this.#beginsWithAll = all;
    this.#commands.fill(Number(all));
    this.#firstArguments.clear();
    this.#rules = [];
  }

  #addKeyPattern(rule: string): void {
    if (this.allowsAllKeys) throw new RuleError('keysBehindAll');
    const [text, permissions] =
      rule[0] === '~' ? [rule.slice(1), Permission.both] : readPermissions(rule);
    if (hasSpaces(text)) throw new RuleError('syntax');
    this.#keys.set(text, permissions | (this.#keys.get(text) ?? 0));
    this.#keyMatcher = undefined;
  }

  #addChannel(text: string): void {
    if (this.allowsAllChannels) throw new RuleError('channelsBehindAll');
    if (hasSpaces(text)) throw new RuleError('syntax');
    this.#channels.add(text);
    this.#channelMatcher = undefined;
  }

  #applyCategory(category: string, isAllowed: boolean): void {
    const name = category.slice(1).toLowerCase();
    if (!isAclCategory(name)) throw new RuleError('unknown');
    this.#remember(category, isAllowed);
    for (const entry of commandsOfCategory.get(name)!) this.#setCommand(entry, isAllowed);
  }

  #applyCommand(name: string, isAllowed: boolean): void {
    const entry = commandTable.byName(name.toUpperCase());
    const isShown = entry !== undefined && !entry.isHidden;
    if (isShown) this.#setCommand(entry, isAllowed);
    else if (!ABSENT_COMMANDS.has(name.toLowerCase())) throw new RuleError('unknown');
    this.#remember(name, isAllowed);
  }

  /** `+container|subcommand`, or `+command|argument`, which allows a command with that first argument alone. */
  #allowPart(text: string): void {
    const bar = text.lastIndexOf('|');
    const name = text.slice(0, bar);
    const part = text.slice(bar + 1);
    const entry = commandTable.byName(name.toUpperCase());
    const isAbsent = ABSENT_COMMANDS.has(name.toLowerCase());
    if ((entry === undefined || entry.isHidden) && !isAbsent) throw new RuleError('unknown');
    if (name.includes('|')) throw new RuleError('partOfSubcommand');
    if (part === '' || hasSpaces(part)) throw new RuleError('syntax');
    if (!isAbsent && entry!.shownSubcommands.length > 0) {
      this.#applyCommand(text, true);
      return;
    }
    if (entry !== undefined) {
      const given = this.#firstArguments.get(entry.id) ?? [];
      const lower = part.toLowerCase();
      if (!given.includes(lower)) this.#firstArguments.set(entry.id, [...given, lower]);
    }
    this.#remember(text, true);
  }

  #setCommand(entry: CommandEntry, isAllowed: boolean): void {
    this.#setBit(entry.id, isAllowed);
    this.#firstArguments.delete(entry.id);
    for (const { id } of entry.subcommands) this.#setBit(id, isAllowed);
    if (entry.bare !== undefined) this.#setBit(entry.bare.id, isAllowed);
  }

  #setBit(id: number, isAllowed: boolean): void {
    this.#commands[id] = Number(isAllowed);
    if (!isAllowed) this.allowsAllCommands = false;
  }

  /** Appends a command rule; earlier rules for the same command are removed. */
  #remember(name: string, isAllowed: boolean): void {
    const lower = name.toLowerCase();
    const kept = this.#rules.filter((rule) => {
      const other = rule.slice(1);
      return other !== lower && !other.startsWith(`${lower}|`);
    });
    this.#rules = [...kept, `${isAllowed ? '+' : '-'}${lower}`];
  }

  // Descriptions: a character for each byte.

  get commandRules(): string {
    return this.#commandWords.join(' ');
  }

  get keyRules(): string {
    return this.#keyWords.join(' ');
  }

  get channelRules(): string {
    return this.#channelWords.join(' ');
  }

  /** All rules as ACL LIST shows them. */
  get description(): string {
    return this.words.join(' ');
  }

  /** All rules, by which the same selector can be made again. */
  get words(): readonly string[] {
    const reset = this.allowsAllChannels ? [] : ['resetchannels'];
    return [...this.#keyWords, ...reset, ...this.#channelWords, ...this.#commandWords];
  }

  get #commandWords(): readonly string[] {
    return [this.#beginsWithAll ? '+@all' : '-@all', ...this.#rules];
  }

  get #keyWords(): readonly string[] {
    if (this.allowsAllKeys) return ['~*'];
    return this.#patterns.map(({ text, permissions }) => `${markOf(permissions)}${text}`);
  }

  get #channelWords(): readonly string[] {
    if (this.allowsAllChannels) return ['&*'];
    return this.channels.map((channel) => `&${channel}`);
  }

  get #patterns(): readonly Pattern[] {
    return Array.from(this.#keys, ([text, permissions]) => ({ text, permissions }));
  }

  // Decisions.

  /** Judges a command with its arguments. */
  judge(entry: CommandEntry, args: Arguments): Verdict {
    if (!this.allowsAllCommands && !this.#allowsCommand(entry, args)) return denial(Denied.command);
    if (!this.allowsAllKeys && entry.hasKeys && !entry.isHidden) {
      const index = this.#firstForbiddenKey(entry, args);
      if (index > 0) return denial(Denied.key, index);
    }
    if (!this.allowsAllChannels && entry.command.channels !== undefined) {
      const index = this.#firstForbiddenChannel(entry, args);
      if (index > 0) return denial(Denied.channel, index);
    }
    return ALLOWED;
  }

  #allowsCommand(entry: CommandEntry, args: Arguments): boolean {
    if (this.#commands[entry.id] === 1 || entry.needsNoUser) return true;
    if (this.#firstArguments.size === 0 || args.count < 2) return false;
    // To clients, an opaque container and what follows it are one command.
    const given = this.#firstArguments.get(entry.countedAs);
    return given?.includes(untilNul(args.latin1(1)).toLowerCase()) === true;
  }

  #firstForbiddenKey(entry: CommandEntry, args: Arguments): number {
    const { keys } = entry.command;
    if (entry.firstArgumentIsKey) {
      return this.#allowsKey(args, 1, keys.specs[0]!) ? 0 : 1;
    }
    const found = findKeys(keys, args) ?? [];
    const forbidden = found.find(
      ({ index, spec }) => spec.notKey !== true && !this.#allowsKey(args, index, spec),
    );
    return forbidden?.index ?? 0;
  }

  #allowsKey(args: Arguments, index: number, spec: KeySpec): boolean {
    this.#keyMatcher ??= new Patterns(this.#patterns);
    const at = args.at(index);
    const length = args.length(index);
    // Most patterns allow both, and then it need not be known what the command does.
    if (this.#keyMatcher.allows(args.source, at, length, Permission.both)) return true;
    if (this.#allowsBothAlways) return false;
    const { use } = spec.variable?.(args) ?? spec;
    return this.#keyMatcher.allows(args.source, at, length, permissionsOf(use));
  }

  /** True when the selector allows `permissions` on every key that there may be. */
  allowsEveryKey(permissions: number): boolean {
    if (this.allowsAllKeys) return true;
    return ((this.#keys.get('*') ?? 0) & permissions) === permissions;
  }

  #firstForbiddenChannel({ command }: CommandEntry, args: Arguments): number {
    const { channels } = command;
    const end = channels === 'first' ? 2 : args.count;
    const isPattern = channels === 'patterns';
    for (let index = 1; index < end; index += 1) {
      const at = args.at(index);
      if (!this.allowsChannel(args.source, at, args.length(index), isPattern)) return index;
    }
    return 0;
  }

  /** A pattern to subscribe to must be allowed literally; a channel must fit an allowed pattern. */
  allowsChannel(source: Bytes, at: number, length: number, isPattern: boolean): boolean {
    if (isPattern) return this.#channels.has(latin1(source, at, length));
    this.#channelMatcher ??= channelPatterns(this.channels);
    return this.#channelMatcher.allows(source, at, length, Permission.both);
  }
}

/** Matcher of channels by patterns. */
export function channelPatterns(channels: readonly string[]): Patterns {
  return new Patterns(channels.map((text) => ({ text, permissions: Permission.both })));
}

function permissionsOf(use: KeySpec['use']): number {
  let permissions = 0;
  if (use !== undefined) {
    for (const word of use) {
      permissions |= word === 'access' ? Permission.read : Permission.write;
    }
  }
  return permissions;
}

function readPermissions(rule: string): [text: string, permissions: number] {
  let permissions = 0;
  for (let at = 1; at < rule.length; at += 1) {
    const letter = rule[at]!;
    if (letter === '~' && permissions > 0) return [rule.slice(at + 1), permissions];
    const permission = PERMISSION_LETTERS[letter.toUpperCase()] ?? 0;
    if (permission === 0 || (permissions & permission) !== 0) throw new RuleError('syntax');
    permissions |= permission;
  }
  // A pattern for nothing could not be shown.
  if (permissions === 0) throw new RuleError('syntax');
  return ['', permissions];
}

function markOf(permissions: number): string {
  if (permissions === Permission.both) return '~';
  return permissions === Permission.read ? '%R~' : '%W~';
}

/** True when a text has white space of C, or a zero byte: no name and no pattern may. */
export function hasSpaces(text: string): boolean {
  return /[\t-\r \0]/.test(text);
}

/** Looks at each command once: every thread does this when it loads. */
function groupByCategory(): ReadonlyMap<string, readonly CommandEntry[]> {
  const groups = new Map<string, CommandEntry[]>(ACL_CATEGORIES.map((category) => [category, []]));
  for (const entry of commandTable.entries) {
    if (entry.isHidden) continue;
    for (const category of aclCategories(entry.command)) groups.get(category)?.push(entry);
  }
  return groups;
}
