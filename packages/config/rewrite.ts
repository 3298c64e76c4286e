/**
 * Changes values in a configuration file and leaves all else in it as people wrote it.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { sectionAndKey, type SettingName } from './settings.ts';
import { parseToml, type TomlFile } from './sources/toml-file.ts';
import { USERS } from './user-kind.ts';

/** A setting and its new value, as TOML. */
interface Change {
  readonly name: SettingName;
  readonly toml: string;
}

function withoutTables(text: string, name: string): string {
  let isInside = false;
  const kept = text.split('\n').filter((line) => {
    const head = /^\s*(\[\[?)\s*([^\]]*?)\s*\]/.exec(line);
    if (head !== null) isInside = head[1] === '[[' && head[2] === name;
    return !isInside;
  });
  return kept.join('\n');
}

/** The text with the changes in place; keys that were not there join the end of their section. */
export function rewriteToml(text: string, changes: readonly Change[]): string {
  // What stands in tables of its own has no place to be changed at.
  let result = changes.some(({ name }) => name === USERS) ? withoutTables(text, USERS) : text;
  for (const change of changes) result = applyOne(parseToml(result, 'the file'), change);
  return result;
}

function applyOne(file: TomlFile, { name, toml }: Change): string {
  const { text } = file;
  const place = file.places.get(name);
  if (place !== undefined) {
    return text.slice(0, place.valueStart) + toml + text.slice(place.valueEnd);
  }
  const [section, key] = sectionAndKey(name);
  const sectionEnd = file.sectionEnds.get(section);
  if (sectionEnd !== undefined) {
    return `${text.slice(0, sectionEnd)}\n${key} = ${toml}${text.slice(sectionEnd)}`;
  }
  const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}[${section}]\n${key} = ${toml}\n`;
}

/** Replaces a file in one step, so that a crash leaves the old one or the new one. */
export function replaceFile(file: string, content: Uint8Array): void {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`);
  try {
    const descriptor = openSync(temporary, 'w', statSync(file).mode);
    try {
      writeSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
