import { isSettingName, sectionAndKey, settingNames } from '../settings.ts';
import { closest, type Gathered } from './source.ts';
import { hasHugeInteger, type TomlFile } from './toml-file.ts';

type Table = Readonly<Record<string, unknown>>;

const sections = new Set(settingNames.map((name) => sectionAndKey(name)[0]));

/** Reads the settings of a parsed file; `shownAs` is its name in messages. */
export function takeTable(gathered: Gathered, file: TomlFile, shownAs = 'the file'): void {
  const take = (table: Table, path: string): void => {
    for (const [key, given] of Object.entries(table)) {
      const name = path === '' ? key : `${path}.${key}`;
      if (isTable(given) && isSectionPath(name)) take(given, name);
      else takeKey(gathered, file, { name, given, shownAs });
    }
  };
  take(file.data, '');
}

function takeKey(
  gathered: Gathered,
  file: TomlFile,
  { name, given, shownAs }: { name: string; given: unknown; shownAs: string },
): void {
  const place = file.places.get(name);
  const where = place === undefined ? shownAs : `${shownAs}:${place.line}`;
  if (isSettingName(name)) {
    const written =
      place === undefined ? show(given) : file.text.slice(place.valueStart, place.valueEnd);
    gathered.takeToml(name, hasHugeInteger(written) ? undefined : given, { where, shown: written });
  } else if (isTable(given)) {
    const section = closest(name, sections);
    const hint = section === undefined ? undefined : `[${section}]`;
    gathered.unknown(`section [${name}]`, where, hint);
  } else {
    gathered.unknown(`key ${name}`, where, closest(name, settingNames));
  }
}

function isTable(value: unknown): value is Table {
  if (typeof value !== 'object' || value === null) return false;
  return !Array.isArray(value) && !(value instanceof Date);
}

function isSectionPath(path: string): boolean {
  return [...sections].some((section) => section === path || section.startsWith(`${path}.`));
}

function show(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
