/** Says how far the copy of a database is, and what it has at the end. */
import type { CopyProgress } from '../backup/parts.ts';
import { liveLine } from './live-line.ts';

export interface CopyLine {
  readonly progress: CopyProgress;
  clear(): void;
}

export function copyLine(): CopyLine {
  const line = liveLine(process.stderr);
  return {
    progress: (table, rows) => line.show(`${table}: ${rows.toLocaleString('en')} rows`),
    clear: () => line.clear(),
  };
}

export interface CopyFacts {
  readonly tables: number;
  readonly rows: number;
  readonly digest: string;
}

export const describeCopy = ({ tables, rows, digest }: CopyFacts): string =>
  `${rows.toLocaleString('en')} rows of ${tables} tables, digest ${digest}`;
