/**
 * Turns HTML into Markdown: headings, paragraphs, lists, tables, quotes, code, and the text of links. Scripts,
 * navigation and hidden parts are not content and are left out.
 *
 * The page is read once from beginning to end, without recursion, so deep nesting cannot overflow the stack. The depth
 * is still limited, because the parser becomes slower with it.
 */
import { type Handler, Parser } from 'htmlparser2';
import { SourceError } from '../errors.ts';
import { inOneLine } from '../util.ts';
import { addCode, addText, type Close, newPage, openElement } from './html-elements.ts';
import { decodeText, isByteEncoding, xmlEncodingOf } from './plain.ts';

const MAX_OPEN_ELEMENTS = 30_000;
const HEAD_BYTES = 1024;

/**
 * A page with this declaration is parsed as XML, where `<title/>` is a complete element. In HTML such an element would
 * contain everything after it.
 */
const XML = /^\s*<\?xml\s/;

const META_ENCODING = /<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i;

/**
 * Returns the text in the encoding that the page declares, or else in the usual one if it is given, or null when the
 * bytes are not text. The declaration is read as ASCII, so a page whose declaration of UTF-16 can be read is in fact in
 * another encoding. In XML, only the declaration of XML counts.
 */
export function decodeHtml(bytes: Uint8Array, usual?: string): string | null {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const label = xmlEncodingOf(head) ?? META_ENCODING.exec(head)?.[1];
  return decodeText(bytes, label !== undefined && isByteEncoding(label) ? label : usual);
}

/** `headingsBelow` is the level of the heading under which the page is written; its own headings are below that level. */
export function htmlToMarkdown(
  html: string,
  { headingsBelow = 0 }: { readonly headingsBelow?: number } = {},
): string {
  const page = newPage(headingsBelow);
  const closers: Close[] = [];
  const events: Partial<Handler> = {
    onopentag(name, attributes) {
      if (closers.length === MAX_OPEN_ELEMENTS)
        throw new SourceError('skip', `the page nests more than ${MAX_OPEN_ELEMENTS} elements`);
      closers.push(openElement(page, name, attributes));
    },
    onclosetag() {
      closers.pop()?.();
    },
    ontext(data) {
      if (page.leftOut > 0) return;
      if (page.inTitle) page.title += data;
      else if (page.pre) addCode(page.pre, data);
      else addText(page, data);
    },
  };
  const parser = new Parser(events, { recognizeSelfClosing: XML.test(html) });
  parser.write(html);
  parser.end();

  const text = page.writer.result();
  const name = inOneLine(page.title);
  return page.hasH1 || name === '' ? text : `# ${name}\n\n${text}`.trimEnd();
}
