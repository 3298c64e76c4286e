import type { Value } from './kinds.ts';
import { rowOf, sectionAndKey, settingNames, type SettingName } from './settings.ts';

const WIDTH = 100;

/** Text in place of a secret. */
export const HIDDEN = '(hidden)';

/** Options for writing out a configuration. */
interface RenderOptions {
  readonly valueOf: (name: SettingName) => Value;
  readonly hideSecrets?: boolean;
  /** Puts what each setting means above it. */
  readonly explain?: boolean;
}

/** All settings as TOML, section by section. */
export function renderToml(options: RenderOptions): string {
  const bySection = new Map<string, string[]>();
  for (const name of settingNames) {
    const [section, key] = sectionAndKey(name);
    const lines = bySection.get(section) ?? [];
    bySection.set(section, lines);
    if (options.explain === true) lines.push(...explanation(name));
    lines.push(`${key} = ${shownValue(name, options)}`);
  }
  const blocks = [...bySection].map(([section, lines]) => `[${section}]\n${lines.join('\n')}\n`);
  return blocks.join('\n');
}

function shownValue(name: SettingName, options: RenderOptions): string {
  const row = rowOf(name);
  const value = options.valueOf(name);
  const isHidden = options.hideSecrets === true && row.isSecret === true && value !== '';
  if (isHidden) return row.kind.toml(HIDDEN);
  return row.kind.toml(options.hideSecrets === true ? (row.kind.redact?.(value) ?? value) : value);
}

function explanation(name: SettingName): string[] {
  const { kind, meaning, effect } = rowOf(name);
  const when = {
    live: 'changeable while running',
    start: 'read at the start',
  }[effect];
  const detail = `${kind.allowed.charAt(0).toUpperCase()}${kind.allowed.slice(1)}; ${when}.`;
  return ['', ...commentLines(meaning), ...commentLines(detail)];
}

function commentLines(text: string): string[] {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
