/** A child of the extractor that does what the request's size says, instead of its work. */
import { readFileSync } from 'node:fs';
import type { Answer, Request } from '../../../documents/extract-protocol.ts';
import { READY } from '../../../sandbox/protocol.ts';

const held: Buffer[] = [];
let answered = 0;

const deeds: Record<number, () => string> = {
  1: () => {
    for (;;) answered += 0;
  },
  2: () => {
    for (;;) held.push(Buffer.alloc(8 * 1024 * 1024, 1));
  },
  3: () => {
    const heap: string[][] = [];
    for (;;) heap.push(Array.from({ length: 100_000 }, (_, i) => `${i}`));
  },
  4: () => process.exit(3),
  5: () => String(Object.keys(process.env).join()),
  6: () => outcomeOf(() => readFileSync('/etc/passwd')),
  7: () => `${process.pid} ${answered}`,
  8: () => {
    held.push(Buffer.alloc(220 * 1024 * 1024, 1));
    return String(process.pid);
  },
};

process.on('disconnect', () => process.exit());
process.on('message', ({ size }: Request) => {
  const deed = deeds[size];
  if (!deed) return;
  const text = deed();
  answered++;
  const answer: Answer = { is: 'text', text, rss: process.memoryUsage.rss() };
  process.send?.(answer);
});
process.send?.(READY);

function outcomeOf(act: () => unknown): string {
  try {
    return String(act());
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
