/**
 * Puts main together from below: each step gets what the steps before it have made, and the compiler refuses one that needs
 * what comes later, a port or an answer that two modules contribute, and an end at which one is missing.
 */

import type { MainAnswers } from '#http';
import type { AnswerName, MainModule } from './main-module.ts';
import type { PortName } from './main-ports.ts';
import type { Modules } from './modules.ts';

/** A module, and what others may use of it. */
export interface Composed<
  Parts extends object,
  Port extends PortName = never,
  Answer extends AnswerName = never,
> {
  readonly module: MainModule<Port, Answer>;
  readonly parts: Parts;
}

/** Ports and answers that no module has contributed, as an argument that cannot be given. */
type Missing<Port extends PortName, Answer extends AnswerName> = [
  Exclude<PortName, Port> | Exclude<AnswerName, Answer>,
] extends [never]
  ? []
  : [missing: Exclude<PortName, Port> | Exclude<AnswerName, Answer>];

export class Composition<
  Parts extends { readonly modules: Modules },
  Port extends PortName = never,
  Answer extends AnswerName = never,
> {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Makes parts that are no module. */
  with<Made extends object>(make: (parts: Parts) => Made): Composition<Parts & Made, Port, Answer> {
    return new Composition({ ...this.#parts, ...make(this.#parts) });
  }

  /** Creates a module and appends it. */
  add<
    Made extends object,
    Ports extends Exclude<PortName, Port>,
    Answers extends Exclude<AnswerName, Answer>,
  >(
    make: (parts: Parts) => Composed<Made, Ports, Answers>,
  ): Composition<Parts & Made, Port | Ports, Answer | Answers> {
    const { module, parts } = make(this.#parts);
    this.#parts.modules.add(module);
    return new Composition({ ...this.#parts, ...parts });
  }

  /** Returns all parts, and the answers of all modules; takes no argument once nothing is missing. */
  end(..._missing: Missing<Port, Answer>): Parts & { readonly answers: MainAnswers } {
    // The type of this method has it that no answer is missing.
    return { ...this.#parts, answers: this.#parts.modules.answers as MainAnswers };
  }
}
