/**
 * Turns a text in XML into Markdown by way of the elements of HTML: DocBook 5, TEI P5, JATS 1.3, DITA 1.3, FictionBook 2,
 * and texts in other vocabularies, whose elements are paragraphs.
 */
import { inOneLine } from '../../util.ts';
import type { Converted } from '../convert.ts';
import { addCode, addText, type Close, newPage, openElement } from '../html-elements.ts';
import { localName, parseXml, type XmlAttributes } from './parse.ts';

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

const SECTIONS = new Set(
  words(`
    abstract acknowledgements annotation app appendix article book chapter colophon concept dedication div div1 div2 div3
    div4 fictionbook glossary part preface ref-list reference refentry refsect1 refsect2 sec sect1 sect2 sect3 sect4 section simplesect
    task tei topic`),
);
/** These elements stand around the title of a section. */
const AROUND_TITLES = new Set(
  words(
    'articleinfo bookinfo chapterinfo info sectioninfo title-group title-info titlestmt front article-meta',
  ),
);
const TITLES = new Set(words('article-title book-title head title'));
const LEFT_OUT = new Set(
  words(`
    binary contrib-id custom-meta-group encodingdesc graphic history imagedata indexterm journal-meta object-id
    permissions profiledesc publicationstmt pub-date pub-id revhistory revisiondesc sourcedesc tex-math`),
);

/** The parts of a name stand next to each other without a blank. */
const PARTS_OF_NAMES = new Set(
  words('first-name firstname forename given-names last-name middle-name surname year'),
);

/** Maps elements of these vocabularies to elements of HTML. An empty text stands for an element inside of a line. */
const HTML = new Map<string, string>([
  ...each(
    'p',
    'para simpara formalpara p l v line verse cmd shortdesc subtitle text-author bibl author',
  ),
  ...each('ul', 'itemizedlist simplelist list ul sl listbibl variablelist'),
  ...each('ol', 'orderedlist procedure steps ol'),
  ...each('li', 'listitem member item li sli step list-item ref biblstruct'),
  ...each('pre', 'programlisting screen codeblock literallayout eg preformat'),
  ...each('code', 'code literal codeph command filename'),
  ...each('blockquote', 'blockquote disp-quote quote-block cit lq epigraph cite'),
  ...each('table', 'table informaltable simpletable'),
  ...each('tr', 'tr row strow sthead'),
  ...each('td', 'td th entry cell stentry'),
  ...each('br', 'br lb sbr empty-line'),
  ...each(
    '',
    `a abbrev acronym b bold citation citetitle date em emph emphasis etal ext-link firstname first-name foreign formula forename fpage
    given-names gi hi i italic issue keyword link lpage middle-name mixed-citation name num option orig persname phrase placename ph publisher-loc publisher-name q quote
    ref-type rs sc source strike strong sub subscript sup superscript surname last-name term ulink uri varname volume w wordasword xref year`,
  ),
]);

function each(html: string, names: string): (readonly [string, string])[] {
  return words(names).map((name) => [name, html] as const);
}

/** `inside` has the names of elements that stand inside of lines, in a vocabulary that is not known. */
export function textToMarkdown(
  source: string,
  name: string,
  inside: ReadonlySet<string> = new Set(),
): Converted {
  const page = newPage();
  const stack: { readonly local: string; readonly close: Close }[] = [];
  /** Counts the open sections. */
  let sections = 0;
  let isTitled = true;

  function open(local: string, attributes: XmlAttributes): Close {
    if (LEFT_OUT.has(local)) return openElement(page, 'script', {});
    if (SECTIONS.has(local)) return openSection();
    const parent = stack.at(-1)?.local ?? '';
    if (TITLES.has(local) && (SECTIONS.has(parent) || AROUND_TITLES.has(parent)) && !isTitled) {
      isTitled = true;
      return openElement(page, `h${Math.min(6, Math.max(1, sections))}`, {});
    }
    if (PARTS_OF_NAMES.has(local)) addText(page, ' ');
    const html = HTML.get(local) ?? (inside.has(local) ? '' : 'div');
    return html === '' ? undefined : openElement(page, html, languageOf(attributes));
  }

  function openSection(): Close {
    sections++;
    isTitled = false;
    const close = openElement(page, 'section', {});
    return () => {
      sections--;
      close?.();
    };
  }

  parseXml(source, {
    open(tag, attributes) {
      const local = localName(tag);
      stack.push({ local, close: open(local, attributes) });
    },
    close() {
      stack.pop()?.close?.();
    },
    text(data) {
      if (page.leftOut > 0) return;
      if (page.pre) addCode(page.pre, data);
      else addText(page, data);
    },
  });
  const text = page.writer.result();
  const title = /^# (.+)$/m.exec(text.slice(0, 2_000))?.[1];
  return {
    text: page.hasH1 || name === '' ? text : `# ${name}\n\n${text}`.trimEnd(),
    ...(title !== undefined && { about: { title: inOneLine(title) } }),
  };
}

const languageOf = ({ language }: XmlAttributes): XmlAttributes =>
  language === undefined ? {} : { class: `language-${language}` };
