/** The text identifies a file, whatever path leads to it. */
import type { BigIntStats } from 'node:fs';

export const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}-${ino}`;
