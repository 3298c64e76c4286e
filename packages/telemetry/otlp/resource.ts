/** Identity of the sender of traces and metrics: the same attributes on both. */

import { hostname } from 'node:os';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';

export interface ServiceIdentity {
  readonly serviceName: string;
  readonly version: string;
  /** Distinguishes this process from others of the same name, and from itself before a restart. */
  readonly instanceId: string;
}

export function serviceResource({ serviceName, version, instanceId }: ServiceIdentity): Resource {
  return resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': instanceId,
    'host.name': hostname(),
    'process.pid': process.pid,
  });
}
