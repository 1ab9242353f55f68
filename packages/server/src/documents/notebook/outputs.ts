/** Turns the outputs of a cell into Markdown: text and tables, without pictures and without what is drawn by scripts. */
import { htmlToMarkdown } from '../html.ts';
import { fenced } from '../markdown-writer.ts';
import { cleanText } from '../plain.ts';
import type { NotebookOutput } from './cells.ts';

/** The code and the text explain an output, so its beginning is enough. */
const MAX_OUTPUT = 2_000;
/** A table with more HTML is cut before it is converted. */
const MAX_HTML = 200_000;

/** Returns an empty text for an output without text. */
export function outputToMarkdown(output: NotebookOutput): string {
  const { output_type: type, data } = output;
  if (type === 'stream') {
    // Warnings and bars of progress go to the stream of errors.
    const isError = (output.name ?? output.stream) === 'stderr';
    return isError ? '' : codeOf(output.text);
  }
  if (type === 'error' || type === 'pyerr')
    return codeOf(`${output.ename ?? 'Error'}: ${output.evalue ?? ''}`);
  const html = data?.['text/html'] ?? output.html;
  if (html?.includes('<table')) return shortened(htmlToMarkdown(html.slice(0, MAX_HTML)));
  const markdown = data?.['text/markdown'];
  return markdown === undefined
    ? codeOf(data?.['text/plain'] ?? output.text)
    : shortened(cleanText(markdown));
}

function codeOf(text = ''): string {
  const plain = shortened(withoutColors(cleanText(text)).trimEnd());
  return plain.trim() === '' ? '' : fenced(plain);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal changes its colors with this character.
const withoutColors = (text: string): string => text.replaceAll(/\x1b\[[\d;]{0,20}[A-Za-z]/g, '');

function shortened(text: string): string {
  if (text.length <= MAX_OUTPUT) return text;
  const lineEnd = text.lastIndexOf('\n', MAX_OUTPUT);
  const end = lineEnd > MAX_OUTPUT / 2 ? lineEnd : MAX_OUTPUT;
  return `${text.slice(0, end).toWellFormed()}\n… (${text.length - end} more characters)`;
}
