/** Prints tables in Markdown, and the figures of repeated measurements. */
import { cpus, loadavg } from 'node:os';

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`);
  line(head);
  console.log(`|${head.map(() => '---|').join('')}`);
  for (const row of rows) line(row);
  console.log();
}

export function printMachine(): void {
  console.log(`\n${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
  console.log(`Node ${process.versions.node}; load ${loadavg()[0]?.toFixed(1)}\n`);
}

/** Returns the least, the median and the most of some values. */
export function spreadOf(values: readonly number[]): readonly [number, number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return [at(0), at(sorted.length >> 1), at(sorted.length - 1)];
}
