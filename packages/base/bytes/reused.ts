/**
 * Objects that serve a whole thread: a command points them at its value, and they stay there until another command needs
 * them. What is removed meanwhile would be kept, with all that it leads to: a list's nodes, a table's pages.
 */

/** An object that serves one command after the other. */
export interface Reused {
  /** Points at nothing. Nobody may be in the middle of using it. */
  letGo(): void;
}

/** All of this thread. */
const all = new Set<WeakRef<Reused>>();

/** Has an object let go when the thread gives memory back; answers the object. */
export function reused<T extends Reused>(thing: T): T {
  all.add(new WeakRef(thing));
  return thing;
}

/** Lets go of all values that were pointed at: else the last ones would be kept, however large. */
export function letReusedGo(): void {
  for (const each of all) {
    const thing = each.deref();
    if (thing === undefined) all.delete(each);
    else thing.letGo();
  }
}
