/** Counters of a page that add up what holds a thread, or a client, up. CONFIG RESETSTAT sets them back. */
export const PAUSE_COUNTERS = [
  /** Sums of the page's histograms `loop` and `scatter`. */
  'loopUs',
  'scatterUs',
  // Garbage collections by kind, and what they took; the longest of all.
  'gcMinor',
  'gcMinorUs',
  'gcMajor',
  'gcMajorUs',
  'gcIncremental',
  'gcIncrementalUs',
  'gcWeak',
  'gcWeakUs',
  'gcUsMax',
] as const;
