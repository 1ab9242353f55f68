/** Excel allows 31 characters. */
const LONGEST_NAME = 200;

/** Returns the name of a sheet on one line. */
export const sheetName = (name: string): string =>
  name.slice(0, LONGEST_NAME).replaceAll(/\s+/g, ' ').trim();
