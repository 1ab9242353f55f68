/** Reads the text of a slide, or of the notes of a slide (PresentationML, ECMA-376 part 1, 19 and 21). */
import { inOneLine } from '../../../util.ts';
import type { TextBudget } from '../../budget.ts';
import type { XmlAttributes } from '../../xml/parse.ts';
import { type Blocks, createBlocks } from '../blocks.ts';
import { type Formula, openFormula } from '../formula.ts';
import type { OfficePackage } from '../package.ts';
import { attribute, type CloseElement, isOn, numberIn } from '../xml.ts';
import { automaticNumber } from './automatic-number.ts';

const DEEPEST_LEVEL = 8;
const TITLES = new Set(['title', 'ctrTitle']);
/** These repeat on every slide. */
const LEFT_OUT = new Set(['dt', 'ftr', 'hdr', 'sldNum', 'sldImg']);
/** The paragraphs of these placeholders have bullets, unless the slide says otherwise. */
const WITH_BULLETS = new Set(['obj', 'body', 'vertBody']);

export interface SlideText {
  readonly title: string;
  /** This is Markdown. */
  readonly body: string;
}

export interface SlideOptions {
  /** In notes, only the text of the speaker is read. */
  readonly isNotes: boolean;
  readonly budget: TextBudget;
}

interface SlideParagraph extends Formula {
  level: number;
  /** This is undefined when the slide does not say it. */
  bullet: 'none' | 'sign' | 'number' | undefined;
  number: { readonly type: string; readonly start: number };
}

interface SlideState extends SlideOptions {
  blocks: Blocks;
  readonly titles: string[];
  /** This is the type of the placeholder that the open shape fills, or null. */
  placeholder: string | null;
  /** These are the numbers of the last items of each level in the open shape. */
  counters: number[];
  paragraph: SlideParagraph | null;
  table: { readonly rows: string[][]; row: string[]; inCell: boolean } | null;
  isPicture: boolean;
  inText: boolean;
}

type SlideOpener = (
  slide: SlideState,
  attributes: XmlAttributes,
) => CloseElement | 'skip' | undefined;

const openShape: SlideOpener = (slide) => {
  const { placeholder, counters } = slide;
  slide.placeholder = null;
  slide.counters = [];
  return () => {
    slide.placeholder = placeholder;
    slide.counters = counters;
  };
};
const openPicture: SlideOpener = (slide) => {
  slide.isPicture = true;
  return () => {
    slide.isPicture = false;
  };
};
const bullet =
  (kind: 'none' | 'sign'): SlideOpener =>
  ({ paragraph }) => {
    if (paragraph) paragraph.bullet = kind;
    return undefined;
  };

const OPENERS: Readonly<Record<string, SlideOpener>> = {
  sp: openShape,
  pic: openPicture,
  graphicFrame: openPicture,
  ph(slide, attributes) {
    slide.placeholder = attribute(attributes, 'type') ?? 'obj';
    return undefined;
  },
  cNvPr(slide, attributes) {
    const alternative = slide.isPicture ? attribute(attributes, 'descr') : undefined;
    if (alternative !== undefined && !slide.isNotes) {
      slide.budget.left -= alternative.length;
      slide.blocks.paragraph(alternative);
    }
    return undefined;
  },
  p: openParagraph,
  pPr({ paragraph }, attributes) {
    if (paragraph) paragraph.level = numberIn(attribute(attributes, 'lvl'), DEEPEST_LEVEL) ?? 0;
    return undefined;
  },
  buNone: bullet('none'),
  buChar: bullet('sign'),
  buBlip: bullet('sign'),
  buAutoNum({ paragraph }, attributes) {
    if (!paragraph) return undefined;
    paragraph.bullet = 'number';
    const start = numberIn(attribute(attributes, 'startAt'), 32_767) ?? 1;
    paragraph.number = { type: attribute(attributes, 'type') ?? '', start };
    return undefined;
  },
  t(slide) {
    slide.inText = true;
    return () => {
      slide.inText = false;
    };
  },
  br({ paragraph }) {
    paragraph?.parts.push('\n');
    return undefined;
  },
  fld: (_, attributes) =>
    /^(?:slidenum|datetime)/.test(attribute(attributes, 'type') ?? '') ? 'skip' : undefined,
  tbl(slide) {
    if (slide.table) return undefined;
    const own = { rows: [], row: [], inCell: false };
    slide.table = own;
    return () => {
      slide.table = null;
      slide.blocks.table(own.rows);
    };
  },
  tr({ table }) {
    if (!table || table.inCell) return undefined;
    table.row = [];
    table.rows.push(table.row);
    return undefined;
  },
  tc: openCell,
  // This has the same content in a second form.
  Fallback: () => 'skip',
};

function openParagraph(slide: SlideState): CloseElement {
  const { paragraph: outer } = slide;
  const own: SlideParagraph = {
    parts: [],
    open: [],
    level: 0,
    bullet: undefined,
    number: { type: '', start: 1 },
  };
  slide.paragraph = own;
  return () => {
    slide.paragraph = outer;
    write(slide, own);
  };
}

function write(slide: SlideState, paragraph: SlideParagraph): void {
  const { blocks, placeholder, counters, isNotes, table } = slide;
  const text = paragraph.parts.join('');
  if (text.trim() === '') return;
  if (isNotes && placeholder !== 'body') return;
  if (placeholder !== null && LEFT_OUT.has(placeholder)) return;
  if (placeholder !== null && TITLES.has(placeholder)) {
    slide.titles.push(inOneLine(text));
    return;
  }
  const isUsual = !isNotes && !table && placeholder !== null && WITH_BULLETS.has(placeholder);
  const bullet = paragraph.bullet ?? (isUsual ? 'sign' : 'none');
  const { level, number } = paragraph;
  counters.length = Math.min(counters.length, bullet === 'number' ? level + 1 : level);
  if (bullet === 'none') blocks.paragraph(text);
  else if (bullet === 'sign') blocks.item({ level, label: '' }, text);
  else {
    const count = counters[level] === undefined ? number.start : counters[level] + 1;
    counters[level] = count;
    blocks.item({ level, label: automaticNumber(count, number.type) }, text);
  }
}

function openCell(slide: SlideState, attributes: XmlAttributes): CloseElement | undefined {
  const { table, blocks: outer } = slide;
  if (!table || table.inCell) return undefined;
  table.inCell = true;
  const own = createBlocks();
  slide.blocks = own;
  const continues = ['hMerge', 'vMerge'].some((name) => isOn(attribute(attributes, name) ?? '0'));
  return () => {
    table.inCell = false;
    slide.blocks = outer;
    table.row.push(continues ? '' : own.result());
  };
}

export function readSlide(document: OfficePackage, path: string, options: SlideOptions): SlideText {
  const slide: SlideState = {
    ...options,
    blocks: createBlocks(),
    titles: [],
    placeholder: null,
    counters: [],
    paragraph: null,
    table: null,
    isPicture: false,
    inText: false,
  };
  document.read(path, {
    open(name, attributes) {
      if (Object.hasOwn(OPENERS, name)) return OPENERS[name]!(slide, attributes);
      return slide.paragraph ? openFormula(slide.paragraph, name, attributes) : undefined;
    },
    text(data) {
      if (!slide.inText || !slide.paragraph) return;
      slide.budget.left -= data.length;
      slide.paragraph.parts.push(data);
    },
    isDone: () => slide.budget.left < 0,
  });
  return { title: slide.titles.join(' '), body: slide.blocks.result() };
}
