/** Turns contacts (vCard, RFC 6350, or its versions 2.1 and 3.0) into Markdown, with a heading for each. */
import { componentsIn, type IcsComponent, propertiesOf, textOf } from '../calendar/components.ts';
import { listOfFacts } from '../calendar/entry.ts';
import { decodeFolded, type IcsProperty, partsOfValue, unescaped } from '../calendar/lines.ts';
import type { Convert } from '../convert.ts';
import { MAX_CHARACTERS } from '../kinds.ts';
import { oneLine } from '../mail/names.ts';
import { plainToMarkdown } from '../mail/plain-body.ts';
import { cleanText } from '../plain.ts';

const MAX_TITLE = 500;
/** Only this many numbers or addresses of one kind are written. */
const MAX_VALUES = 100;

export const convert: Convert = async (bytes) => {
  const text = decodeFolded(bytes);
  if (text === null) return { reason: 'binary' };
  const blocks: string[] = [];
  let characters = 0;
  let names = 0;
  let name = '';
  for (const card of componentsIn(text)) {
    if (card.level !== 1 || card.name !== 'VCARD') continue;
    name = nameOf(card);
    names++;
    const block = [`## ${name}`, ...restOf(card)].join('\n\n');
    characters += block.length;
    blocks.push(block);
    if (characters > MAX_CHARACTERS) break;
  }
  if (names === 0)
    return { reason: 'without text that can be read', detail: 'the file has no contacts' };
  return {
    text: cleanText(blocks.join('\n\n')),
    ...(names === 1 && { about: { title: cleanText(name) } }),
  };
};

function nameOf(card: IcsComponent): string {
  const [family, given, more, before, behind] = partsOfValue(firstOf(card, 'N'), ';');
  const parts = [before, given, more, family, behind].filter(Boolean).join(' ');
  const name = textOf(card, 'FN') || parts || organizationOf(card) || textOf(card, 'EMAIL');
  return oneLine(name, MAX_TITLE) || 'contact without a name';
}

const firstOf = (card: IcsComponent, name: string): string =>
  propertiesOf(card, name)[0]?.value ?? '';

const organizationOf = (card: IcsComponent): string =>
  partsOfValue(firstOf(card, 'ORG'), ';').filter(Boolean).join(', ');

function restOf(card: IcsComponent): string[] {
  const facts = listOfFacts([
    ['Nickname', textOf(card, 'NICKNAME')],
    ['Organization', organizationOf(card)],
    ['Title', textOf(card, 'TITLE')],
    ['Role', textOf(card, 'ROLE')],
    ...each(propertiesOf(card, 'TEL'), 'Telephone', (value) =>
      unescaped(value).replace(/^tel:/i, ''),
    ),
    ...each(propertiesOf(card, 'EMAIL'), 'E-mail', (value) =>
      unescaped(value).replace(/^mailto:/i, ''),
    ),
    ...each(propertiesOf(card, 'ADR'), 'Address', (value) =>
      partsOfValue(value, ';').filter(Boolean).join(', '),
    ),
    ...each(propertiesOf(card, 'URL'), 'Website'),
    ...each(propertiesOf(card, 'IMPP'), 'Messages'),
    ['Birthday', textOf(card, 'BDAY')],
    ['Categories', partsOfValue(firstOf(card, 'CATEGORIES'), ',').filter(Boolean).join(', ')],
  ]);
  const notes = propertiesOf(card, 'NOTE').map(({ value }) => plainToMarkdown(unescaped(value)));
  return [facts.join('\n'), ...notes].filter((one) => one !== '');
}

/** Returns a fact for each property of this name, with its types, such as `Telephone (work)`. */
const each = (
  properties: readonly IcsProperty[],
  label: string,
  read: (value: string) => string = unescaped,
): [string, string][] =>
  properties
    .slice(0, MAX_VALUES)
    .map((property) => [`${label}${typesOf(property)}`, read(property.value)]);

/** These types say how a value is stored, or that it is preferred, and not what it is. */
const TECHNICAL = /^(?:pref|internet|voice|x-.*|quoted-printable|utf-8)?$/i;

function typesOf({ parameters }: IcsProperty): string {
  const types = (parameters.get('TYPE') ?? '').split(',').filter((one) => !TECHNICAL.test(one));
  const words = [...new Set(types.map((one) => one.toLowerCase()))];
  return words.length === 0 ? '' : ` (${words.slice(0, 5).join(', ')})`;
}
