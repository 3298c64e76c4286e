/** Moments at which keys end. */

/**
 * The latest moment that a key's end can be set to, in milliseconds of Unix time: what doubles hold
 * exactly (year 287,396). Redis takes 64 bits; later moments are kept as this one.
 */
export const EXPIRY_MS_MAX = Number.MAX_SAFE_INTEGER;
