/** Tells which file it is, whatever path leads to it. */
import type { BigIntStats } from 'node:fs';

export const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}-${ino}`;
