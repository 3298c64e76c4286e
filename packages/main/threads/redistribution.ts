/** Rewrites data for another number of shards, in a separate process. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { OfflineReport, Redistribution } from '#offline';
import { redistributionUrl } from '#workers';

/** Answer of the process. */
type Answer =
  { readonly report: OfflineReport; readonly problem?: undefined } | { readonly problem: string };

/** Returns the report; throws an error that describes invalid data. */
export function redistributeApart(options: Redistribution): Promise<OfflineReport> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(redistributionUrl), { serialization: 'advanced' });
    child.once('message', (answer: Answer) => {
      if (answer.problem === undefined) resolve(answer.report);
      else reject(new Error(answer.problem));
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      // After an answer this says nothing more.
      reject(new Error(`redistribution of the data ended with ${signal ?? code}`));
    });
    child.send(options);
  });
}
