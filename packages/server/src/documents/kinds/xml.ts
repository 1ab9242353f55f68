/** Turns XML into Markdown without tags. The root element says which vocabulary it is. */
import { inOneLine } from '../../util.ts';
import type { Convert, Converted } from '../convert.ts';
import { cleanText } from '../plain.ts';
import { rootOf, TEXT_ROOTS } from '../recognize.ts';
import { textToMarkdown } from '../xml/document.ts';
import { itemsToMarkdown } from '../xml/items.ts';
import { outlineToMarkdown } from '../xml/outline.ts';
import { decodeXml } from '../xml/parse.ts';
import { recordsToMarkdown } from '../xml/records.ts';
import { surveyOf } from '../xml/survey.ts';
import { translationsToMarkdown } from '../xml/translations.ts';

/** Returns null for a file that has the root of a vocabulary, but not its elements. */
type ToMarkdown = (source: string, name: string) => Converted | null;

const BY_ROOT = new Map<string, ToMarkdown>([
  ['rss', itemsToMarkdown],
  ['feed', itemsToMarkdown],
  ['rdf:rdf', itemsToMarkdown],
  ['en-export', itemsToMarkdown],
  ['kml', itemsToMarkdown],
  ['gpx', itemsToMarkdown],
  ['opml', outlineToMarkdown],
  ['xliff', translationsToMarkdown],
  ['tmx', translationsToMarkdown],
]);

export const convert: Convert = async (bytes, { name }) => {
  const source = decodeXml(bytes);
  if (source === null) return { reason: 'binary' };
  const root = rootOf(source.trimStart(), '');
  const title = inOneLine(name.replace(/\.\w{1,10}$/, ''));
  const converted = convertRoot(root ?? '', source, title);
  const text = cleanText(converted.text);
  return text === '' || text === `# ${title}`
    ? { reason: 'without text that can be read', detail: 'the XML has only markup' }
    : { ...converted, text };
};

function convertRoot(root: string, source: string, title: string): Converted {
  const isTextRoot = TEXT_ROOTS.has(root);
  const known = isTextRoot ? textToMarkdown(source, title) : BY_ROOT.get(root)?.(source, title);
  if (known && (!isTextRoot || known.about?.title !== undefined)) return known;
  const { isText, hasParagraphs, inside, recordDepth } = surveyOf(source);
  if (isTextRoot && known && (isText || hasParagraphs)) return known;
  return isText
    ? textToMarkdown(source, title, inside)
    : recordsToMarkdown(source, title, recordDepth);
}
