/** Charts of the live samples of the last minutes. */

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LiveSample } from '../model/api.ts';
import { columnsOf, type History } from '../model/history.ts';
import { Chart, type ChartProps } from './chart.tsx';

/** Chart of the live samples, with the value of each of its lines. */
export type Sketch = Omit<ChartProps, 'data'> & {
  readonly values: readonly ((sample: LiveSample) => number | null | undefined)[];
};

interface LiveChartsProps {
  readonly sketches: readonly Sketch[];
  readonly history: History;
  /** Number of the newest sample: a history is the same object with more in it. */
  readonly seq: number;
}

export function LiveCharts({ sketches, history, seq }: LiveChartsProps): JSX.Element {
  const data = useMemo(
    () => sketches.map(({ values }) => columnsOf(history.samples, values)),
    [sketches, history, seq],
  );
  return (
    <div class="grid">
      {sketches.map(({ values: _, ...sketch }, index) => (
        <Chart key={sketch.title} {...sketch} data={data[index]!} />
      ))}
    </div>
  );
}
