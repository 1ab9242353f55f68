/** Chooses documents that ship with the packages of Debian. */
import { globSync, statSync } from 'node:fs';
import { extname } from 'node:path';

const SHIPPED = '/usr/share/doc/**/*.{html,pdf,md,rst,txt,xml,svg,gz}';
/** From each package come few files of a kind, so that the folder is mixed. */
const PER_PACKAGE = 6;

export function shippedDocuments(): string[] {
  const counts = new Map<string, number>();
  return globSync(SHIPPED)
    .sort()
    .filter((path) => {
      const key = `${path.split('/')[4]} ${extname(path)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return (counts.get(key) ?? 0) <= PER_PACKAGE && statSync(path).isFile();
    });
}

/** Takes so many at even distances, or all if there are fewer, so that all kinds and packages have the same chance. */
export function evenly<T>(all: readonly T[], count: number): T[] {
  const every = Math.max(1, all.length / count);
  return all.filter((_, i) => Math.floor((i + 1) / every) > Math.floor(i / every));
}
