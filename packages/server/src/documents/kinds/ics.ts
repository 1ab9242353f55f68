/** Turns a calendar (iCalendar, RFC 5545, or vCalendar 1.0) into Markdown, with a heading for each entry. */
import {
  componentsIn,
  type IcsComponent,
  propertiesOf,
  propertyNamed,
  textOf,
} from '../calendar/components.ts';
import {
  factsOf,
  isEntry,
  listOfFacts,
  MAX_TIMES,
  textOfEntry,
  titleOf,
} from '../calendar/entry.ts';
import { decodeFolded, type IcsProperty } from '../calendar/lines.ts';
import { spanInWords, timeAfter, timeInWords, timeOf } from '../calendar/time.ts';
import type { Convert } from '../convert.ts';
import { MAX_CHARACTERS } from '../kinds.ts';
import { oneLine } from '../mail/names.ts';
import { cleanText } from '../plain.ts';

const MAX_TITLE = 500;

export const convert: Convert = async (bytes) => {
  const text = decodeFolded(bytes);
  if (text === null) return { reason: 'binary' };
  const blocks: string[] = [];
  let characters = 0;
  let title = '';
  for (const component of componentsIn(text)) {
    if (component.level === 1) title ||= oneLine(textOf(component, 'X-WR-CALNAME'), MAX_TITLE);
    else {
      const block = blockOf(component);
      characters += block.length;
      if (block !== '') blocks.push(block);
    }
    if (characters > MAX_CHARACTERS) break;
  }
  if (blocks.length === 0)
    return { reason: 'without text that can be read', detail: 'the calendar has no entries' };
  const heading = title === '' ? [] : [`# ${title}`];
  return {
    text: cleanText([...heading, ...blocks].join('\n\n')),
    ...(title && { about: { title: cleanText(title) } }),
  };
};

function blockOf(component: IcsComponent): string {
  if (component.name === 'VFREEBUSY') return busyTimes(component);
  if (!isEntry(component)) return '';
  const instead = timeOf(propertyNamed(component, 'RECURRENCE-ID'));
  const exception = listOfFacts([['Instead of', instead ? timeInWords(instead) : '']]);
  const heading = `## ${oneLine(titleOf(component), MAX_TITLE)}`;
  const rest = [exception.join('\n'), textOfEntry(component)].filter((one) => one !== '');
  return [heading, rest.join('\n')].filter((one) => one !== '').join('\n\n');
}

/** Writes when somebody is busy (RFC 5545, section 3.6.4). */
function busyTimes(component: IcsComponent): string {
  const busy = propertiesOf(component, 'FREEBUSY').flatMap(periodsIn).slice(0, MAX_TIMES);
  const items = busy.map((period) => `- Busy: ${period}`);
  return ['## Busy times', [...factsOf(component), ...items].join('\n')]
    .filter((one) => one !== '')
    .join('\n\n');
}

function periodsIn({ name, parameters, value }: IcsProperty): string[] {
  if (parameters.get('FBTYPE')?.toUpperCase() === 'FREE') return [];
  return value.split(',', MAX_TIMES).flatMap((period) => {
    const [from = '', to = ''] = period.split('/');
    const start = timeOf({ name, parameters, value: from });
    if (!start) return [];
    return spanInWords(start, timeOf({ name, parameters, value: to }) ?? timeAfter(start, to));
  });
}
