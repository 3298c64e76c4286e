/** Instructions of a Dockerfile, as far as ours has them. */

/** One instruction: its name, and the text behind it with continued lines joined. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Returns the instructions of each stage, the first of which is FROM. */
export function stagesOf(dockerfile: string): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = [];
  const lines = dockerfile.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  for (const line of lines.split('\n')) {
    const [, name = '', text = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, text });
  }
  return stages.map((stage) => stage.filter(({ name }) => name !== ''));
}

/** Returns the texts of all instructions with a name. */
export function textsOf(stage: readonly Instruction[], name: string): readonly string[] {
  return stage.filter((each) => each.name === name).map(({ text }) => text);
}

/** Returns the text of the one instruction with a name; throws if there is another number of them. */
export function textOf(stage: readonly Instruction[], name: string): string {
  const [text, ...others] = textsOf(stage, name);
  if (text === undefined || others.length > 0) throw new Error(`one ${name} is expected`);
  return text;
}

/** Returns the variables of ENV instructions. */
export function variablesOf(stage: readonly Instruction[]): Readonly<Record<string, string>> {
  const pairs = textsOf(stage, 'ENV').flatMap((text) => text.split(' '));
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}
