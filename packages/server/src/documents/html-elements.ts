/**
 * This file writes the elements of an HTML page as Markdown, one after the other as the parser meets them. The function
 * that opens an element returns the function that closes it.
 */
import { type CellColumns, newColumns, placeCell, spanOf } from './html-cells.ts';
import { type TableParts, writeTable } from './html-table.ts';
import { createMarkdownWriter, fenced, type MarkdownWriter } from './markdown-writer.ts';

const MAX_NESTED_TABLES = 4;

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

type Attributes = Readonly<Record<string, string>>;
export type Close = (() => void) | undefined;

/**
 * The state of a page says where the parser stands. The function that opens an element may change the state, and the
 * function that it returns undoes the change. Only `title`, `hasH1` and the written text are never undone.
 */
export interface PageState {
  writer: MarkdownWriter;
  inTitle: boolean;
  title: string;
  /** The levels of headings begin below this level. */
  readonly headingsBelow: number;
  /** If true, the page has a heading of the first level with text. */
  hasH1: boolean;
  /** This is the number of open elements that are left out. */
  leftOut: number;
  /** This is the level of the open heading, or null outside of headings. */
  heading: number | null;
  /** This is the number of open tables; `table` is the innermost one. */
  tables: number;
  table: TableState | null;
  /** This counts the empty cells that stand for the further columns and rows of others. */
  readonly empty: { cells: number };
  /** `next` is the number of the next item, or null in a list without numbers. */
  list: { next: number | null } | null;
  pre: CodeBlock | null;
}

interface TableState {
  readonly parts: TableParts;
  columns: CellColumns;
  inCell: boolean;
}

interface CodeBlock {
  text: string;
  language: string;
  /** If true, a block has begun or ended since the last text of the code. */
  startsNewLine: boolean;
  /** If true, the last text of the code ended with a line break. Asking `text` each time would copy all of it. */
  endsLine: boolean;
}

export const newPage = (headingsBelow = 0): PageState => ({
  writer: createMarkdownWriter(),
  inTitle: false,
  title: '',
  headingsBelow,
  hasH1: false,
  leftOut: 0,
  heading: null,
  tables: 0,
  table: null,
  empty: { cells: 0 },
  list: null,
  pre: null,
});

type ElementOpener = (page: PageState, attributes: Attributes) => Close;

const heading =
  (level: number): ElementOpener =>
  (page) =>
    openHeading(page, level);

const OPENERS: Readonly<Record<string, ElementOpener>> = {
  title: openTitle,
  br: (page) => {
    if (page.pre) addCode(page.pre, '\n');
    else if (page.heading !== null) page.writer.text(' ');
    else page.writer.newLine();
    return undefined;
  },
  img: (page, { alt }) => {
    if (alt) addText(page, alt);
    return undefined;
  },
  code: (page, { class: classes }) => openCode(page, classes),
  kbd: (page) => openCode(page, undefined),
  samp: (page) => openCode(page, undefined),
  pre: (page, { class: classes }) => openPre(page, classes),
  blockquote: openQuote,
  ul: (page) => openList(page, null),
  ol: (page, { start }) => openList(page, /^\d{1,9}$/.test(start ?? '') ? Number(start) : 1),
  li: openItem,
  table: openTable,
  tbody: openRowGroup,
  tfoot: openRowGroup,
  tr: ({ table }) => {
    if (!table || table.inCell) return undefined;
    table.parts.rows.push([]);
    table.columns.next = 0;
    return undefined;
  },
  td: openCell,
  th: openCell,
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
};

export function openElement(page: PageState, name: string, attributes: Attributes): Close {
  if (LEFT_OUT.has(name) || isHidden(attributes)) {
    page.leftOut++;
    return () => {
      page.leftOut--;
    };
  }
  if (page.leftOut > 0) return undefined;
  const isBlock = BLOCKS.has(name);
  if (isBlock) separate(page);
  const close = Object.hasOwn(OPENERS, name) ? OPENERS[name]?.(page, attributes) : undefined;
  if (!isBlock) return close;
  return () => {
    close?.();
    separate(page);
  };
}

/**
 * Returns true inside a heading or a code block (`pre`), where no other heading, code block, table or cell is opened.
 */
const isInHeadingOrPre = ({ heading, pre }: PageState): boolean => heading !== null || pre !== null;

function separate({ pre, heading, writer }: PageState): void {
  if (pre) pre.startsNewLine = true;
  else if (heading !== null) writer.text(' ');
  else writer.block();
}

function openTitle(page: PageState): Close {
  page.inTitle = true;
  return () => {
    page.inTitle = false;
  };
}

function openHeading(page: PageState, level: number): Close {
  if (isInHeadingOrPre(page)) return undefined;
  if (page.table) page.table.parts.isLayout = true;
  page.writer.block();
  page.writer.enter({
    prefix: '',
    marker: `${'#'.repeat(Math.min(page.headingsBelow + level, 6))} `,
  });
  page.heading = level;
  return () => {
    page.heading = null;
    page.writer.leave();
    page.writer.block();
  };
}

function openCode(page: PageState, classes: string | undefined): Close {
  if (page.pre) {
    page.pre.language ||= languageOf(classes);
    return undefined;
  }
  page.writer.text('`');
  return () => page.writer.text('`');
}

function openPre(page: PageState, classes: string | undefined): Close {
  if (isInHeadingOrPre(page)) return undefined;
  if (page.table) page.table.parts.isLayout = true;
  const own = { text: '', language: languageOf(classes), startsNewLine: false, endsLine: false };
  page.pre = own;
  page.writer.block();
  return () => {
    page.pre = null;
    const code = own.text.replace(/^\n/, '').trimEnd();
    if (code === '') return;
    page.writer.verbatim(fenced(code, own.language));
  };
}

function openQuote(page: PageState): Close {
  page.writer.enter({ prefix: '> ', marker: '> ' });
  return () => page.writer.leave();
}

export function addText(page: PageState, data: string): void {
  // A heading without text, such as one around a picture without `alt`, does not count.
  page.hasH1 ||= page.heading === 1 && data.trim() !== '';
  page.writer.text(data);
}

/**
 * Adds text inside code. Some pages make each line of code a block of its own, so a line break is added between blocks.
 */
export function addCode(code: CodeBlock, data: string): void {
  if (data === '') return;
  if (code.startsNewLine && !code.endsLine && !data.startsWith('\n')) code.text += '\n';
  code.startsNewLine = false;
  code.endsLine = data.endsWith('\n');
  code.text += data;
}

function openList(page: PageState, first: number | null): Close {
  const outer = page.list;
  page.list = { next: first };
  return () => {
    page.list = outer;
  };
}

function openItem(page: PageState): Close {
  const { list } = page;
  if (list && !isInHeadingOrPre(page)) page.writer.newLine();
  else separate(page);
  const marker = list && list.next !== null ? `${list.next++}. ` : '- ';
  page.writer.enter({ prefix: ' '.repeat(marker.length), marker, list: true });
  return () => {
    separate(page);
    page.writer.leave();
    if (!isInHeadingOrPre(page)) page.writer.newLine();
  };
}

function openTable(page: PageState): Close {
  if (page.tables === MAX_NESTED_TABLES || isInHeadingOrPre(page)) return undefined;
  const { table: outer, list: outerList } = page;
  if (outer) outer.parts.isLayout = true;
  const own = { parts: { rows: [], isLayout: false }, columns: newColumns(), inCell: false };
  page.tables++;
  page.table = own;
  page.list = null;
  return () => {
    page.tables--;
    page.table = outer;
    page.list = outerList;
    writeTable(own.parts, page.writer);
  };
}

/** No cell reaches into the next group of rows. */
function openRowGroup({ table }: PageState): Close {
  if (table && !table.inCell) table.columns = newColumns();
  return undefined;
}

function openCell(page: PageState, { colspan, rowspan }: Attributes): Close {
  const { table: own, writer: outer } = page;
  if (!own || own.inCell || isInHeadingOrPre(page)) return undefined;
  own.inCell = true;
  page.writer = createMarkdownWriter();
  return () => {
    const cell = page.writer.result();
    page.writer = outer;
    own.inCell = false;
    const { columns, parts } = own;
    placeCell({ rows: parts.rows, columns, empty: page.empty }, cell, spanOf(colspan, rowspan));
  };
}

const isHidden = ({ hidden, role, style, ...attributes }: Attributes): boolean =>
  (hidden !== undefined && hidden !== 'until-found') ||
  role === 'navigation' ||
  /(?:^|[;\s])display\s{0,9}:\s{0,9}none\b/i.test(style ?? '') ||
  attributes['aria-hidden'] === 'true';

const languageOf = (classes: string | undefined): string =>
  /\blang(?:uage)?-([\w+#-]{1,30})/.exec(classes ?? '')?.[1] ?? '';
