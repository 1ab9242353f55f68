/** Collects the texts of a drawing (SVG 2, chapter 11; titles and descriptions in chapter 5.8). */
import { inOneLine } from '../../util.ts';
import { localName, parseXml } from './parse.ts';

export interface DrawnTexts {
  /** This is the title of the whole drawing. */
  readonly title: string | undefined;
  readonly texts: readonly string[];
}

const TEXTS: ReadonlySet<string> = new Set(['title', 'desc', 'text', 'foreignobject', 'flowroot']);
const LEFT_OUT: ReadonlySet<string> = new Set(['style', 'script', 'metadata']);

export function drawnTexts(source: string): DrawnTexts {
  const texts: string[] = [];
  let title: string | undefined;
  let depth = 0;
  /** The text of the element that was opened at this depth is collected. */
  let from: number | null = null;
  let leftOutFrom: number | null = null;
  let parts: string[] = [];
  parseXml(source, {
    open(tag, attributes) {
      depth++;
      const name = localName(tag);
      if (LEFT_OUT.has(name)) leftOutFrom ??= depth;
      if (from === null && TEXTS.has(name)) from = depth;
      // A part of a text with a place of its own is a line of its own, or far from the text before it.
      else if (
        from !== null &&
        (name !== 'tspan' || 'x' in attributes || 'y' in attributes || 'dy' in attributes)
      )
        parts.push(' ');
    },
    close(tag) {
      if (depth === from) {
        const text = inOneLine(parts.join(''));
        const isOfDrawing = localName(tag) === 'title' && depth === 2;
        if (isOfDrawing && title === undefined && text !== '') title = text;
        else if (text !== '') texts.push(text);
        from = null;
        parts = [];
      }
      if (depth === leftOutFrom) leftOutFrom = null;
      depth--;
    },
    text(data) {
      if (from !== null && leftOutFrom === null) parts.push(data);
    },
  });
  return { title, texts };
}
