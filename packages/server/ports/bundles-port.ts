/** Bundles as DEBUG BUNDLE makes and lists them: the ops thread does it. */

import type { BundlesPort } from '#commands';
import type { BundleReport } from '#api-types';
import type { OpsLink } from '#main';

export function bundlesPort(ops: OpsLink): BundlesPort {
  return {
    generate: () => ops.ask('bundle-generate') as Promise<BundleReport>,
    list: () => ops.ask('bundle-list') as Promise<readonly BundleReport[]>,
  };
}
