/** This child of the extractor does not do its work. It misbehaves as the size in the request says. */
import { readFileSync } from 'node:fs';
import type { ExtractOutcome, ExtractRequest } from '../../../documents/extract-protocol.ts';
import { serve } from '../../../sandbox/serve.ts';

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

function outcomeOf(act: () => unknown): string {
  try {
    return String(act());
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

await serve(async ({ size }: ExtractRequest, bytes): Promise<ExtractOutcome> => {
  await bytes(size);
  const deed = deeds[size];
  if (!deed) return new Promise(() => {});
  const text = deed();
  answered++;
  return { is: 'text', text };
});
