import { inOneLine } from '../../../util.ts';

/** Excel allows 31 characters. */
const LONGEST_NAME = 200;

/** Returns the name of a sheet on one line. */
export const sheetName = (name: string): string => inOneLine(name.slice(0, LONGEST_NAME));
