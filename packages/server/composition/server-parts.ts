/** Everything that main is made of, once it is put together. */

import type { ListeningPlaces } from '#clients';
import type { LateSettings } from '#main';
import type { DataModules } from './data-modules.ts';
import type { DiagnosticModules } from './diagnostic-modules.ts';
import type { Kernel } from './kernel.ts';
import type { Routing } from './routing.ts';

export interface ServerParts extends Kernel, Routing, DataModules, DiagnosticModules {
  readonly places: ListeningPlaces;
  readonly lateSettings: LateSettings;
}
