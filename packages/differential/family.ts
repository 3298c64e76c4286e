/** Definition of a family of commands: how its commands are made at random, and what varies around them. */
import type { Draw } from './draw.ts';
import type { Form } from './forms.ts';

/** A command as its words, whose bytes are latin1. */
export type Words = readonly string[];

/** A command, and the comparison of its replies if it does not follow from its name. */
export interface Command {
  readonly words: Words;
  readonly form: Form | undefined;
}

/** Commands that belong together: what is left out when a failure is made shorter is a whole step. */
export type Step = readonly Command[];

/** Makes one command, or a step of several. */
export type Maker = (draw: Draw) => Words | Step;

/** A setting, and the values among which an episode chooses. */
type Choice = readonly [name: string, ...values: string[]];

export interface Family {
  readonly name: string;
  readonly settings: readonly Choice[];
  /** Further commands that empty a server before an episode. */
  readonly begins?: readonly Words[];
  /** Makers with their relative frequency. */
  readonly makers: readonly (readonly [weight: number, maker: Maker])[];
  /** Further commands that show the state of a key at the end. */
  readonly reads?: (key: string) => readonly Words[];
}

/** A step of commands, each as words, or as words and their form. */
export function step(...commands: readonly (Words | Command)[]): Step {
  return commands.map((command) =>
    'words' in command ? command : { words: command, form: undefined },
  );
}

/** True when a maker made a step, and not the words of one command. */
export function isStep(made: Words | Step): made is Step {
  return typeof made[0] === 'object';
}
