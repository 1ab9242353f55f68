/** Looks at the structure of an XML file whose vocabulary is not known. */
import { localName, parseXml } from './parse.ts';

export interface XmlSurvey {
  /** If true, words stand between elements, as in a text; otherwise the file has data. */
  readonly isText: boolean;
  /** If true, elements have the names that paragraphs have in vocabularies of texts. */
  readonly hasParagraphs: boolean;
  /** These are the local names of elements that stand between words. */
  readonly inside: ReadonlySet<string>;
  /** This is the depth of the first elements that are repeated, where the root has the depth 0. */
  readonly recordDepth: number;
}

/** A few values with markup do not make a text of data. */
const MIXED_SHARE = 0.2;

const PARAGRAPHS: ReadonlySet<string> = new Set(['p', 'para', 'simpara', 'l']);

interface SurveyedElement {
  readonly children: Set<string>;
  characters: number;
}

export function surveyOf(source: string): XmlSurvey {
  const stack: SurveyedElement[] = [];
  const inside = new Set<string>();
  let recordDepth = Number.POSITIVE_INFINITY;
  let all = 0;
  let mixed = 0;
  let hasParagraphs = false;
  parseXml(source, {
    open(tag) {
      const parent = stack.at(-1);
      const name = localName(tag);
      hasParagraphs ||= PARAGRAPHS.has(name);
      if (parent) {
        if (parent.children.has(tag)) recordDepth = Math.min(recordDepth, stack.length);
        parent.children.add(tag);
        if (parent.characters > 0) inside.add(name);
      }
      stack.push({ children: new Set(), characters: 0 });
    },
    close() {
      const closed = stack.pop();
      if (!closed) return;
      all += closed.characters;
      if (closed.characters > 0 && closed.children.size > 0) mixed += closed.characters;
    },
    text(data) {
      const open = stack.at(-1);
      const length = data.trim().length;
      if (!open || length === 0) return;
      if (open.characters === 0) for (const tag of open.children) inside.add(localName(tag));
      open.characters += length;
    },
  });
  return {
    isText: mixed > all * MIXED_SHARE,
    hasParagraphs,
    inside,
    recordDepth: Number.isFinite(recordDepth) ? recordDepth : 1,
  };
}
