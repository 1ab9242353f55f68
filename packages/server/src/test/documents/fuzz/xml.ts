/** Changes elements and attributes of XML, and leaves it well-formed. Each byte is a character of Latin-1. */
import type { Random } from '../../random/random.ts';
import { type Mutator, repeated } from './bytes.ts';
import { HOSTILE, NUMBERS } from './tokens.ts';

interface Element {
  readonly name: string;
  /** These are offsets of the whole element. */
  readonly from: number;
  readonly to: number;
  /** These are offsets of what is inside, which are equal for an empty element. */
  readonly innerFrom: number;
  readonly innerTo: number;
}

const TAG = /<(\/?)([\w:.-]+)((?:\s[^<>]*?)?)(\/?)>/g;

/** Ends without a beginning, and beginnings without an end, are left out. */
function elementsIn(text: string): Element[] {
  const found: Element[] = [];
  const open: Pick<Element, 'name' | 'from' | 'innerFrom'>[] = [];
  for (const { 0: tag, 1: isEnd, 2: name = '', 4: isEmpty, index } of text.matchAll(TAG)) {
    const to = index + tag.length;
    if (isEmpty) found.push({ name, from: index, to, innerFrom: to, innerTo: to });
    else if (!isEnd) open.push({ name, from: index, innerFrom: to });
    else if (open.at(-1)?.name === name) found.push({ ...open.pop()!, innerTo: index, to });
  }
  return found;
}

interface Chosen {
  readonly text: string;
  readonly element: Element;
  /** This is an element of this or of another file, as text. */
  readonly donor: string;
  readonly random: Random;
}

/** Makes a mutator out of a function that returns what comes instead of an element. */
const onElement =
  (change: (chosen: Chosen) => string): Mutator =>
  ({ bytes, other }, random) => {
    const text = bytes.toString('latin1');
    const elements = elementsIn(text);
    if (elements.length === 0) return bytes;
    const element = random.pick(elements);
    const donors = random.below(2) === 0 ? text : other.toString('latin1');
    const given = elementsIn(donors);
    const { from, to } = random.pick(given.length > 0 ? given : elements);
    const instead = change({ text, element, donor: donors.slice(from, to), random });
    return Buffer.from(text.slice(0, element.from) + instead + text.slice(element.to), 'latin1');
  };

const whole = ({ text, element: { from, to } }: Chosen): string => text.slice(from, to);
const tagOf = ({ text, element: { from, innerFrom } }: Chosen): string =>
  text.slice(from, innerFrom);
const inner = ({ text, element: { innerFrom, innerTo } }: Chosen): string =>
  text.slice(innerFrom, innerTo);
const endOf = ({ text, element: { innerTo, to } }: Chosen): string => text.slice(innerTo, to);

const deleteElement = onElement(() => '');
const unwrapElement = onElement(inner);
const replaceElement = onElement(({ donor }) => donor);
const insertElement = onElement(
  (chosen) => tagOf(chosen) + chosen.donor + inner(chosen) + endOf(chosen),
);
const appendElement = onElement((chosen) => whole(chosen) + chosen.donor);

const repeatElement = onElement((chosen) =>
  repeated(Buffer.from(whole(chosen), 'latin1'), chosen.random).toString('latin1'),
);

const nestElement = onElement((chosen) => {
  const end = endOf(chosen);
  if (end === '') return whole(chosen);
  const depth = chosen.random.pick([2, 10, 200, 5_000]);
  return tagOf(chosen).repeat(depth) + inner(chosen) + end.repeat(depth);
});

const renameElement = onElement((chosen) => {
  const name = /^<([\w:.-]+)/.exec(chosen.donor)?.[1] ?? 'a';
  const tag = tagOf(chosen).replace(chosen.element.name, name);
  return tag + inner(chosen) + endOf(chosen).replace(chosen.element.name, name);
});

/** Attributes and texts take the same values, escaped. */
const valueFor = (random: Random): string =>
  random
    .pick([...NUMBERS, ...HOSTILE])
    .replaceAll(/[<>&"]/g, (one) => `&#${one.charCodeAt(0)};`)
    .replaceAll(/\p{Cc}/gu, '');

const changeText = onElement((chosen) => {
  const value = valueFor(chosen.random);
  const end = endOf(chosen);
  return end === '' ? whole(chosen) : tagOf(chosen) + value + end;
});

const changeAttribute = onElement((chosen) => {
  const { random, donor } = chosen;
  const tag = tagOf(chosen);
  const attributes = [...tag.matchAll(/(?<![\w:.-])([\w:.-]+)=(?:"[^"<>]*"|'[^'<>]*')/g)];
  const values = [...donor.matchAll(/="([^"<>]*)"/g)].map(([, value = '']) => value);
  if (attributes.length === 0) return whole(chosen);
  const { 0: attribute, 1: name, index } = random.pick(attributes);
  const value = random.below(2) === 0 && values.length > 0 ? random.pick(values) : valueFor(random);
  const kept = random.below(5) === 0 ? '' : `${name}="${value}"`;
  return (
    tag.slice(0, index) + kept + tag.slice(index + attribute.length) + inner(chosen) + endOf(chosen)
  );
});

export const XML_MUTATORS: readonly Mutator[] = [
  deleteElement,
  unwrapElement,
  replaceElement,
  insertElement,
  appendElement,
  repeatElement,
  nestElement,
  renameElement,
  changeText,
  changeAttribute,
  changeAttribute,
];
