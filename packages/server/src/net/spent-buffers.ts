/**
 * Frees the memory of large answers early. Node and undici make about three buffers for each piece of an answer. V8
 * notices little of them, because they lie outside of its heap: it collects them only when 64 MB have come together. A
 * minor collection from time to time takes about a millisecond, and frees the buffers of pieces that have been used.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const EVERY_BYTES = 2 * 2 ** 20;

type Collect = (options: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;
let spent = 0;

/** Must be called with the size of each piece after it has been used. Small answers count together. */
export function countSpent(bytes: number): void {
  spent += bytes;
  if (spent < EVERY_BYTES) return;
  spent = 0;
  collect ??= openCollector();
  collect({ type: 'minor' });
}

/** Node gives the function of V8 to a context only if the flag is set when the context is made. */
function openCollector(): Collect {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc');
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
