/** Recognizes formats by the beginning of a file, in which the ASCII characters are right (`beginningOf`). */

/** Returns true for a notebook of Jupyter, whose cells may be in worksheets (nbformat 3). */
export const isNotebook = (start: string): boolean =>
  start.startsWith('{') &&
  /"(?:cells|worksheets)"\s*:\s*\[/.test(start) &&
  /"cell_type"\s*:\s*"(?:code|markdown|raw|heading)"/.test(start);

/**
 * Only files with these extensions are checked for XML formats. In a file with another extension, such as .md, a
 * drawing may be only the beginning of a text.
 */
const XML_NAMES = new Set(['', '.xml']);
const PROLOGUE_CHARACTERS = 4096;

/**
 * Returns the name of the root element of an XML file in lower case, which comes after declarations and comments, or
 * null for a file that is not XML.
 */
export function rootOf(start: string, extension: string): string | null {
  if (!start.startsWith('<?xml') && !(start.startsWith('<') && XML_NAMES.has(extension)))
    return null;
  const elements = start
    .slice(0, PROLOGUE_CHARACTERS)
    .replaceAll(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<![A-Za-z][^>[]*(?:\[[^\]]*\])?[^>[]*>/g, '');
  return /^\s*<([\w:.-]+)/.exec(elements)?.[1]?.toLowerCase() ?? null;
}
