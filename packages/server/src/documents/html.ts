/**
 * Turns HTML into Markdown: headings, paragraphs, lists, tables, quotes, code, and the text of links. Scripts,
 * navigation and hidden parts are not content and are left out.
 *
 * The page is read once from front to back. Nothing recurses, so no depth of nesting overflows the stack. The work
 * of the parser itself grows with the depth, so the depth has a limit.
 */
import { type Handler, Parser } from 'htmlparser2';
import { SourceError } from '../errors.ts';
import { type TableParts, writeTable } from './html-table.ts';
import { createMarkdownWriter, fenced } from './markdown-writer.ts';
import { decodeText } from './plain.ts';

const MOST_OPEN_ELEMENTS = 30_000;
const MOST_NESTED_TABLES = 4;
const HEAD_BYTES = 1024;

const words = (list: string) => new Set(list.split(/\s+/));
const LEFT_OUT = words(
  `audio button canvas datalist embed iframe nav noscript object script select style svg template
  video`,
);
const BLOCKS = words(
  `address article aside blockquote body caption center dd details dialog div dl dt fieldset
  figcaption figure footer form header hgroup hr html legend main menu ol optgroup p section summary
  table tbody td tfoot th thead tr ul`,
);

/** In XML, `<title/>` and `<script/>` are whole elements; read as HTML, they would contain everything behind them. */
const XML = /^\s*<\?xml\s/;

type Attributes = Readonly<Record<string, string>>;
type Close = (() => void) | undefined;

/**
 * Returns the text in the encoding that the page declares, or null when the bytes are not text. A page in UTF-16
 * cannot be read as far as its declaration, so a page that declares UTF-16 is in another encoding.
 */
export function decodeHtml(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const label = /<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(head)?.[1];
  return decodeText(bytes, label !== undefined && isByteEncoding(label) ? label : undefined);
}

export function htmlToMarkdown(html: string): string {
  let writer = createMarkdownWriter();
  let title = '';
  let hasH1 = false;
  let muted = 0;
  let inHeading = false;
  let inH1 = false;
  let tables = 0;
  let table: { readonly parts: TableParts; inCell: boolean } | null = null;
  let list: { next: number | null } | null = null;
  let pre: { text: string; language: string; isBroken: boolean } | null = null;
  let inTitle = false;
  const closers: Close[] = [];

  const openers: Readonly<Record<string, (attributes: Attributes) => Close>> = {
    title: () => {
      inTitle = true;
      return () => {
        inTitle = false;
      };
    },
    br: () => {
      if (pre) addCode(pre, '\n');
      else if (inHeading) writer.text(' ');
      else writer.newLine();
      return undefined;
    },
    img: ({ alt }) => {
      if (alt) addText(alt);
      return undefined;
    },
    code: ({ class: classes }) => openCode(classes),
    kbd: () => openCode(undefined),
    samp: () => openCode(undefined),
    pre: ({ class: classes }) => openPre(classes),
    blockquote: () => {
      writer.enter({ prefix: '> ', marker: '> ' });
      return () => writer.leave();
    },
    ul: () => openList(null),
    ol: ({ start }) => openList(/^\d{1,9}$/.test(start ?? '') ? Number(start) : 1),
    li: openItem,
    table: openTable,
    tr: () => {
      if (table && !table.inCell) table.parts.rows.push([]);
      return undefined;
    },
    td: openCell,
    th: openCell,
    h1: () => openHeading(1),
    h2: () => openHeading(2),
    h3: () => openHeading(3),
    h4: () => openHeading(4),
    h5: () => openHeading(5),
    h6: () => openHeading(6),
  };

  function open(name: string, attributes: Attributes): Close {
    if (LEFT_OUT.has(name) || isHidden(attributes)) {
      muted++;
      return () => {
        muted--;
      };
    }
    if (muted > 0) return undefined;
    const isBlock = BLOCKS.has(name);
    if (isBlock) separate();
    const close = Object.hasOwn(openers, name) ? openers[name]?.(attributes) : undefined;
    if (!isBlock) return close;
    return () => {
      close?.();
      separate();
    };
  }

  function separate(): void {
    if (pre) pre.isBroken = true;
    else if (inHeading) writer.text(' ');
    else writer.block();
  }

  function openHeading(level: number): Close {
    if (inHeading || pre) return undefined;
    if (table) table.parts.isLayout = true;
    writer.block();
    writer.enter({ prefix: '', marker: `${'#'.repeat(level)} ` });
    inHeading = true;
    inH1 = level === 1;
    return () => {
      inHeading = false;
      inH1 = false;
      writer.leave();
      writer.block();
    };
  }

  function openCode(classes: string | undefined): Close {
    if (pre) {
      pre.language ||= languageOf(classes);
      return undefined;
    }
    writer.text('`');
    return () => writer.text('`');
  }

  function openPre(classes: string | undefined): Close {
    if (pre || inHeading) return undefined;
    if (table) table.parts.isLayout = true;
    const own = { text: '', language: languageOf(classes), isBroken: false };
    pre = own;
    writer.block();
    return () => {
      pre = null;
      const code = own.text.replace(/^\n/, '').trimEnd();
      if (code === '') return;
      writer.verbatim(fenced(code, own.language));
    };
  }

  function addText(data: string): void {
    // A heading counts only when it has text: around a picture without a description it leaves no trace.
    hasH1 ||= inH1 && data.trim() !== '';
    writer.text(data);
  }

  /** Some pages make each line of code a block of its own, so a line break is added between blocks. */
  function addCode(code: { text: string; isBroken: boolean }, data: string): void {
    const isSeam = !code.text.endsWith('\n') && !data.startsWith('\n');
    if (code.isBroken && isSeam) code.text += '\n';
    code.isBroken = false;
    code.text += data;
  }

  function openList(first: number | null): Close {
    const outer = list;
    list = { next: first };
    return () => {
      list = outer;
    };
  }

  function openItem(): Close {
    if (list && !pre && !inHeading) writer.newLine();
    else separate();
    const marker = list && list.next !== null ? `${list.next++}. ` : '- ';
    writer.enter({ prefix: ' '.repeat(marker.length), marker, list: true });
    return () => {
      separate();
      writer.leave();
      if (!pre && !inHeading) writer.newLine();
    };
  }

  function openTable(): Close {
    if (tables === MOST_NESTED_TABLES || inHeading || pre) return undefined;
    const outer = table;
    const outerList = list;
    if (outer) outer.parts.isLayout = true;
    const own = { parts: { rows: [], isLayout: false }, inCell: false };
    tables++;
    table = own;
    list = null;
    return () => {
      tables--;
      table = outer;
      list = outerList;
      writeTable(own.parts, writer);
    };
  }

  function openCell(): Close {
    if (!table || table.inCell || inHeading || pre) return undefined;
    const own = table;
    const outer = writer;
    own.inCell = true;
    writer = createMarkdownWriter();
    return () => {
      const cell = writer.result();
      writer = outer;
      own.inCell = false;
      const row = own.parts.rows.at(-1);
      if (row) row.push(cell);
      else own.parts.rows.push([cell]);
    };
  }

  const events: Partial<Handler> = {
    onopentag(name, attributes) {
      if (closers.length === MOST_OPEN_ELEMENTS)
        throw new SourceError('skip', `the page nests more than ${MOST_OPEN_ELEMENTS} elements`);
      closers.push(open(name, attributes));
    },
    onclosetag() {
      closers.pop()?.();
    },
    ontext(data) {
      if (muted > 0) return;
      if (inTitle) title += data;
      else if (pre) addCode(pre, data);
      else addText(data);
    },
  };
  const parser = new Parser(events, { recognizeSelfClosing: XML.test(html) });
  parser.write(html);
  parser.end();

  const text = writer.result();
  const name = title.replaceAll(/\s+/g, ' ').trim();
  return hasH1 || name === '' ? text : `# ${name}\n\n${text}`.trimEnd();
}

const isHidden = ({ hidden, role, ...attributes }: Attributes): boolean =>
  (hidden !== undefined && hidden !== 'until-found') ||
  role === 'navigation' ||
  attributes['aria-hidden'] === 'true';

const languageOf = (classes: string | undefined): string =>
  /\blang(?:uage)?-([\w+#-]{1,30})/.exec(classes ?? '')?.[1] ?? '';

function isByteEncoding(label: string): boolean {
  try {
    return !new TextDecoder(label).encoding.startsWith('utf-16');
  } catch {
    // The page declares an encoding that is not known, so its bytes decide.
    return false;
  }
}
