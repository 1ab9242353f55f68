/** The numbers of the chunks of one collection are a range; rows.ts says how they are given. */
const PER_COLLECTION = 2 ** 32;

/** `index` is the number of the collection's row in `indexes`. */
export const firstNumber = (index: number) => index * PER_COLLECTION;
export const endNumber = (index: number) => (index + 1) * PER_COLLECTION;
