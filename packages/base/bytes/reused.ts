/**
 * Objects that serve a whole thread: a command points them at its value, and they stay there until another command needs
 * them. What is removed meanwhile would be kept, with all that it leads to: a list's nodes, a table's pages.
 */

/** An object that serves one command after the other. */
export interface Reused {
  /** Clears references. The object must not be in use. */
  letGo(): void;
}

/** All of this thread. */
const all = new Set<WeakRef<Reused>>();

/** Registers an object whose references are cleared when the thread frees memory; returns the object. */
export function reused<T extends Reused>(thing: T): T {
  all.add(new WeakRef(thing));
  return thing;
}

/** Clears the references of all registered objects: otherwise the last values, of any size, would be kept in memory. */
export function letReusedGo(): void {
  for (const each of all) {
    const thing = each.deref();
    if (thing === undefined) all.delete(each);
    else thing.letGo();
  }
}
