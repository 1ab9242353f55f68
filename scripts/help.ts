/** Scripts answer `--help` with the comment at the head of their file, so the help and the comment cannot differ. */
import { readFileSync } from 'node:fs';

/** Prints the first comment of the file and ends the process if the command line asks for help. */
export function answerHelp(file: string): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return;
  console.log(headOf(readFileSync(file, 'utf8')));
  process.exit();
}

/** Returns the text of the comment with which a file begins. */
export function headOf(text: string): string {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(text) ?? [];
  return comment.replaceAll(/^ \* ?/gm, '').trim();
}

/** Prints on standard error how far a script has come. The results go to standard output. */
export const tellProgress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
