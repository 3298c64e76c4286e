/** What is packed into a diagnostic bundle, and what comes of it: between the one who asks and the packing task. */

export interface BundleFile {
  readonly name: string;
  readonly text: string;
}

export interface BundleTask {
  readonly id: string;
  readonly folder: string;
  /** The name of the archive. */
  readonly name: string;
  readonly createdAt: string;
  readonly version: string;
  readonly files: readonly BundleFile[];
}

/** An error would lose its code on the way between threads. */
export type BundleResult =
  | { readonly isGood: true; readonly bytes: number }
  | { readonly isGood: false; readonly code: string; readonly message: string };
