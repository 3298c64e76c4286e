/** Numbers of turns, and of first words that lead nowhere, by package or top folder. */
type Allowances = Readonly<Record<string, readonly [turns: number, openings: number]>>;

/** Findings that are accepted, and may only shrink: a number that is too high is a fault as well. */
export const allowances: Allowances = {};
