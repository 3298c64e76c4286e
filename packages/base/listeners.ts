/** Listeners of one kind of event, called in the order in which they were added. */

type Listener<Values extends readonly unknown[]> = (...values: Values) => void;

export class Listeners<Values extends readonly unknown[] = []> {
  readonly #listeners = new Set<Listener<Values>>();

  /** Calls a listener for each event from now on; returns what ends that. */
  add(listener: Listener<Values>): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  notify(...values: Values): void {
    for (const listener of this.#listeners) listener(...values);
  }
}
