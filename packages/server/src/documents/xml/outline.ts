/** Turns an outline (OPML 2.0, http://opml.org/spec2.opml) into a nested list. */
import { inOneLine } from '../../util.ts';
import type { Converted } from '../convert.ts';
import { textLine } from '../markdown-writer.ts';
import { localName, parseXml } from './parse.ts';

/** Deeper levels are indented like this one, so that the text does not grow with the square of the depth. */
const DEEPEST_LEVEL = 8;

export function outlineToMarkdown(source: string, name: string): Converted {
  const lines: string[] = [];
  let title = '';
  let inTitle = false;
  let level = 0;
  parseXml(source, {
    open(tag, { text = '', title: shown = '', xmlUrl, htmlUrl, url, _note: note = '' }) {
      if (tag === 'title') inTitle = true;
      if (localName(tag) !== 'outline') return;
      const indent = '  '.repeat(Math.min(level, DEEPEST_LEVEL));
      const label = inOneLine(text) || inOneLine(shown);
      const link = inOneLine(htmlUrl ?? xmlUrl ?? url ?? '');
      const line = label === '' || link === '' ? label || link : `${label} (${link})`;
      if (line !== '') lines.push(`${indent}${textLine(`- ${line}`, false)}`);
      if (note.trim() !== '') lines.push(`${indent}  ${textLine(inOneLine(note), true)}`);
      level++;
    },
    close(tag) {
      if (tag === 'title') inTitle = false;
      if (localName(tag) === 'outline') level--;
    },
    text(data) {
      if (inTitle) title += data;
    },
  });
  const heading = inOneLine(title);
  return {
    text: [`# ${heading || name}`, lines.join('\n')].join('\n\n').trimEnd(),
    ...(heading !== '' && { about: { title: heading } }),
  };
}
