/** Types shared by the requester of a diagnostic bundle and the task that packs it: the content, and the result. */

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
