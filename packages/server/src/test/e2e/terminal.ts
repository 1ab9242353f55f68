/** Runs the command line at a pseudo-terminal, which `script` of util-linux makes. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { childEnvironment } from '../child-environment.ts';
import { until } from '../until.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));

export const CTRL_C = '\u0003';

export function runAtTerminal(args: readonly string[], env: Readonly<Record<string, string>>) {
  const words = [process.execPath, '-C', 'quarry', MAIN, ...args];
  const command = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  // With `exec`, the command is the child of `script` itself, and no shell stands between.
  const child = spawn('script', ['-qefc', `exec ${command}`, '/dev/null'], {
    env: { ...childEnvironment(), TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  let read = 0;
  child.stdout.on('data', (data) => {
    shown += data;
  });
  const exited = new Promise<number | null>((done) => {
    child.on('close', (code) => done(code));
  });
  const text = () => stripVTControlCharacters(shown);
  return {
    pid: child.pid,
    exited,
    /** Everything that the terminal has shown so far. */
    text,

    /** Waits until the terminal shows this after what was waited for before, and returns the match. */
    async sees(pattern: RegExp): Promise<RegExpExecArray> {
      const ended = exited.then((code) => `it ended with ${code}`);
      let end: string | undefined;
      void ended.then((how) => {
        end = how;
      });
      return until(() => {
        const found = pattern.exec(text().slice(read));
        if (!found && end)
          throw new Error(`${pattern} does not come, ${end}: ${text().slice(read)}`);
        if (found) read += found.index + found[0].length;
        return found;
      }, 60_000).catch((error: Error) => {
        throw new Error(`${error.message}: ${pattern} in ${text().slice(read)}`);
      });
    },

    type: (keys: string) => child.stdin.write(keys),

    /** Closes the terminal at once. */
    end: () => child.kill('SIGKILL'),

    /** Closes the terminal, as somebody does who closes its window, and waits until the command has ended. */
    async hangUp(): Promise<void> {
      const children = `/proc/${child.pid}/task/${child.pid}/children`;
      const command = Number(readFileSync(children, 'utf8').trim());
      child.kill('SIGKILL');
      await exited;
      await until(() => !isRunning(command), 60_000);
    },

    /** Waits for the question, and answers it. */
    async answer(question: RegExp, text: string): Promise<void> {
      await this.sees(question);
      child.stdin.write(`${text}\r`);
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
