/** Returns a text that identifies a file independently of its path. */
import type { BigIntStats } from 'node:fs';

export const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}-${ino}`;
