/**
 * Asks a person at a terminal. The terminal shows typed characters only while a question that is not secret is open, so
 * nothing appears by accident: neither a secret, nor what is typed while the command waits.
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { plain } from '../live-line.ts';

/** A person has pressed Ctrl-C or Ctrl-D, or closed the terminal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export interface Terminal {
  /** Prints lines. Control characters in them are replaced, because sources and services write parts of them. */
  say(...lines: readonly string[]): void;
  /** Returns the trimmed answer, or `preset` for an empty one. Throws Interrupted. */
  ask(question: string, preset?: string): Promise<string>;
  /** Returns the answer, which the terminal has not shown. Throws Interrupted. */
  askSecret(question: string): Promise<string>;
  close(): void;
}

/** Ctrl-C, Ctrl-D and the end of the terminal abort `interrupt` with an Interrupted. */
export function openTerminal(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  interrupt: AbortController,
): Terminal {
  let isShown = false;
  const shownOutput = new Writable({
    write(chunk, _encoding, done) {
      if (isShown) output.write(chunk);
      done();
    },
  });
  // The library cuts long lines by this width.
  Object.defineProperty(shownOutput, 'columns', { get: () => output.columns });
  const lines = createInterface({ input, output: shownOutput, terminal: true, historySize: 0 });
  lines.on('SIGINT', () => interrupt.abort(new Interrupted('interrupted')));
  lines.on('close', () => interrupt.abort(new Interrupted('the input ended')));
  // The library cannot give a closed terminal its mode back, and reports that as an error.
  lines.on('error', () => interrupt.abort(new Interrupted('the terminal was closed')));

  async function question(text: string, isSecret: boolean): Promise<string> {
    interrupt.signal.throwIfAborted();
    isShown = true;
    const answer = lines.question(plain(text), { signal: interrupt.signal });
    isShown = !isSecret;
    try {
      return await answer;
    } catch (error) {
      interrupt.signal.throwIfAborted();
      throw error;
    } finally {
      if (isSecret || interrupt.signal.aborted) output.write('\n');
      isShown = false;
    }
  }

  return {
    say(...texts) {
      for (const text of texts) output.write(`${plain(text)}\n`);
    },
    async ask(text, preset) {
      const shown = preset === undefined ? `${text}: ` : `${text} [${preset}]: `;
      const answer = (await question(shown, false)).trim();
      return answer === '' ? (preset ?? '') : answer;
    },
    askSecret: (text) => question(`${text} (hidden): `, true),
    close: () => lines.close(),
  };
}
