/** Diagnostic bundles that are kept. */

export interface BundleReport {
  readonly id: string;
  readonly created_at: string;
  readonly size_bytes: number;
  readonly expires_at: string;
}

export interface BundlesDocument {
  readonly bundles: readonly BundleReport[];
}
