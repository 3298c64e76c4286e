/** One export to a collector, of spans or of metrics. */

import { ExportResultCode, type ExportResult } from '@opentelemetry/core';

/** Most milliseconds that a collector may take for one batch. */
export const EXPORT_MS_MAX = 3_000;

interface Exporter<Batch> {
  export(batch: Batch, done: (result: ExportResult) => void): void;
}

/** Resolves when the collector has taken it, and rejects with the reason when it has not. */
export function exportTo<Batch>(exporter: Exporter<Batch>, batch: Batch): Promise<void> {
  return new Promise((resolve, reject) => {
    exporter.export(batch, ({ code, error }) => {
      if (code === ExportResultCode.SUCCESS) resolve();
      else reject(error ?? new Error('the collector refused them'));
    });
  });
}
