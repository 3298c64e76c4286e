/** Reads what /metrics answers. */

/** The value of a sample, which is a name with its labels; NaN when there is none. */
export function sampleIn(text: string, sample: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length).trim().split(' ')[0]);
}
