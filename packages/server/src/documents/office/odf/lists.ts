/** Numbers the items of the lists of OpenDocument (ODF 1.3 part 3, 5.3). */
import type { XmlAttributes } from '../../xml/parse.ts';
import { attribute, type CloseElement, numberIn } from '../xml.ts';
import type { OdfText } from './state.ts';

const DEEPEST_LIST = 10;
const LARGEST_START = 1_000_000;

export function openList(text: OdfText, attributes: XmlAttributes): CloseElement {
  const { list: outer, styles, lastCounters } = text;
  const level = outer ? Math.min(outer.level + 1, DEEPEST_LIST) : 0;
  const style = attribute(attributes, 'style-name') ?? outer?.style;
  const continues =
    attribute(attributes, 'continue-numbering') === 'true' ||
    attribute(attributes, 'continue-list') !== undefined;
  const key = `${level} ${style}`;
  const before = (continues ? lastCounters.get(key) : undefined)?.[level];
  const counters = outer ? outer.counters.slice(0, level) : [];
  counters[level] = before ?? styles.list(style, level).start - 1;
  text.list = { style, level, counters, item: 'none' };
  return () => {
    lastCounters.set(key, counters);
    text.list = outer;
  };
}

export function openItem({ list }: OdfText, attributes: XmlAttributes): CloseElement | undefined {
  if (!list) return undefined;
  const start = numberIn(attribute(attributes, 'start-value'), LARGEST_START);
  list.counters[list.level] = start ?? (list.counters[list.level] ?? 0) + 1;
  list.item = 'begun';
  return () => {
    list.item = 'none';
  };
}
