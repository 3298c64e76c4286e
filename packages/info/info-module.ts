/** Reports on the whole server as a module of main: INFO, STATUS and MEMORY. */

import type { MemoryPort } from '#commands';
import { type Composed, MainModule, type Modules, type Progress } from '#main';
import { renderInfo } from './info.ts';
import { memoryPort, type MemoryPortOptions } from './memory-port.ts';
import { MetricsReader, type MetricsReaderOptions } from './metrics-reader.ts';

interface InfoModuleOptions
  extends
    Omit<MetricsReaderOptions, 'sweepClients'>,
    Omit<MemoryPortOptions, 'measure' | 'metricsReader' | 'router'> {
  readonly clients: { readonly memory: { sweep(): void } };
  readonly modules: Pick<Modules, 'info'>;
  readonly progress: Pick<Progress, 'baseline'>;
}

export function infoModule(
  options: InfoModuleOptions,
): Composed<{ readonly metricsReader: MetricsReader }, 'info' | 'status' | 'memory'> {
  const { clients, clock, modules, progress } = options;
  const metricsReader = new MetricsReader({
    ...options,
    sweepClients: () => {
      clients.memory.sweep();
    },
  });
  const measure = () => metricsReader.measure(progress.baseline);
  const memory: MemoryPort = memoryPort({ ...options, measure, metricsReader });
  const module = new MainModule({
    name: 'info',
    hooks: {
      tick: () => {
        metricsReader.sample(clock.nowUs());
      },
    },
    ports: {
      info: { render: (sections) => renderInfo(sections, measure(), modules.info) },
      status: { json: () => metricsReader.statusJson() },
      memory,
    },
  });
  return { module, parts: { metricsReader } };
}
