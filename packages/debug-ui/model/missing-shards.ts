/** Sentence about shards whose part of a gathered list is missing. */

/** `missing` names the part of one shard, as in `its entries`. */
export function missingText(shards: readonly number[], missing: string): string {
  const [first] = shards;
  if (shards.length === 1) return `Shard ${first} did not reply in time; ${missing} are missing.`;
  const list = `${shards.slice(0, -1).join(', ')} and ${shards.at(-1)}`;
  return `Shards ${list} did not reply in time; ${missing.replace(/^its/, 'their')} are missing.`;
}
