/**
 * Classes stay small: at most 25 public members, and 25 fields. A larger one gives the reason in its doc comment, or in the
 * head of its file where it has none, in a sentence that begins with `Large because`.
 */
import type { SourceFile } from '../source-files.ts';

/** Most public members, and most fields, of a class without a reason. */
const CLASS_MEMBERS_MAX = 25;

/** Classes that give a reason. They may only become fewer: a number that is too high is a fault as well. */
const LARGE_CLASSES = 25;

/** Beginning of a sentence that gives a reason. */
const REASON = /(?:\*|\.) Large because\b/g;

/** A class, by its name and its sizes. */
interface ClassSize {
  readonly name: string;
  /** Public methods, accessors and fields; a getter and a setter of one name are one. */
  readonly members: number;
  /** Fields, private ones too. */
  readonly fields: number;
  /** Doc comment before the class, or that at the head of the file; empty without any. */
  readonly comment: string;
}

/** Returns the faults of large classes without a reason, of reasons for small ones, and of their number. */
export function classFaults(
  files: readonly SourceFile[],
  largeClasses: number = LARGE_CLASSES,
): string[] {
  const faults: string[] = [];
  let largeCount = 0;
  for (const source of files) {
    const large = classSizes(source).filter(isLarge);
    largeCount += large.length;
    for (const { name, members, fields, comment } of large) {
      if (comment.search(REASON) >= 0) continue;
      faults.push(
        `${source.file}: class ${name} has ${members} public members and ${fields} fields: split it, or say in its doc comment "Large because ..."`,
      );
    }
    const reasons = source.text.match(REASON)?.length ?? 0;
    if (reasons > large.length)
      faults.push(`${source.file}: gives a reason for a class that is not large`);
  }
  if (largeCount !== largeClasses) {
    faults.push(`${largeCount} classes are large, but ${largeClasses} are exempt in classes.ts`);
  }
  return faults;
}

function isLarge({ members, fields }: ClassSize): boolean {
  return members > CLASS_MEMBERS_MAX || fields > CLASS_MEMBERS_MAX;
}

/** Beginning of a class at the left edge, with the doc comment that stands before it. */
const CLASS = /^(?:export )?(?:abstract )?class (?<name>\w+)(?!.*\{\}$)/gm;
const MEMBER =
  /^ {2}(?<words>(?:(?:public|protected|private|static|readonly|override|abstract|async|declare|accessor|get|set) )*)\*?(?<name>#?[\w$]+|\[[^\]\n]+\])(?<rest>[?!]?(?:[(<:;]| =))/gm;

/** Returns the classes of a file, read from the lines as Prettier leaves them. */
export function classSizes({ text }: SourceFile): ClassSize[] {
  return [...text.matchAll(CLASS)].map((match) => {
    const end = text.indexOf('\n}', match.index);
    const body = text.slice(match.index, end);
    const members = new Set<string>();
    const fields = new Set<string>();
    for (const { groups } of body.matchAll(MEMBER)) {
      const { words = '', name = '', rest = '' } = groups ?? {};
      if (name === 'constructor') continue;
      const isHidden = name.startsWith('#') || /\b(?:private|protected)\b/.test(words);
      if (!isHidden) members.add(name);
      if (!/[(<]$/.test(rest) && !/\b(?:get|set)\b/.test(words)) fields.add(name);
    }
    return {
      name: match.groups!['name']!,
      members: members.size,
      fields: fields.size,
      comment: commentOf(text, match.index),
    };
  });
}

function commentOf(text: string, at: number): string {
  const own = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, at))?.[0];
  return own ?? /^\s*\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? '';
}
