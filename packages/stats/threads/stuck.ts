/** A thread in one piece of work for so long, or that has given no sign of life for so long though it is awake, is stuck. */
export const STUCK_US = 1_000_000;
