/** The chunks of one collection have the numbers of one range; rows.ts explains how a chunk gets its number. */
const PER_COLLECTION = 2 ** 32;

/** `index` is the number of the collection's row in `indexes`. */
export const firstNumber = (index: number) => index * PER_COLLECTION;
export const endNumber = (index: number) => (index + 1) * PER_COLLECTION;
