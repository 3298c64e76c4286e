/** Commands per second of users, from their counts at two moments. */

export interface CommandCounts {
  readonly timeMs: number;
  /** Commands by the name of the user. */
  readonly commands: ReadonlyMap<string, number>;
}

/** Returns the rates of users that existed at both moments; none if counts were reset in between. */
export function ratesBetween(
  before: CommandCounts | null,
  now: CommandCounts,
): ReadonlyMap<string, number> {
  const rates = new Map<string, number>();
  const seconds = before === null ? 0 : (now.timeMs - before.timeMs) / 1_000;
  if (before === null || seconds <= 0) return rates;
  for (const [user, commands] of now.commands) {
    const known = before.commands.get(user);
    if (known !== undefined && commands >= known) rates.set(user, (commands - known) / seconds);
  }
  return rates;
}
