/** Reads searches as https://support.google.com/mail/answer/7190 describes them, but only the operators below. */
import { must } from '../../util.ts';
import { filenamesOf, headerOf, textsOf } from './gmail-mime.ts';
import type { GmailMailbox, GmailMessage } from './gmail-world.ts';

type Matches = (message: GmailMessage) => boolean;

export interface GmailQuery {
  readonly matches: Matches;
  /** The search names places that other searches leave out. */
  readonly seesSpamAndTrash: boolean;
}

/** Dates are midnights in the west of America. */
const ZONE = '-08:00';
const DAY = 86_400_000;
const STATES: Readonly<Record<string, string>> = {
  unread: 'UNREAD',
  starred: 'STARRED',
  important: 'IMPORTANT',
};
const UNITS: Readonly<Record<string, number>> = { d: DAY, m: 30 * DAY, y: 365 * DAY };

/** Throws an Error for an operator that the fake does not know. `now` is in milliseconds since 1970. */
export function readQuery(q: string, { labels }: GmailMailbox, now: number): GmailQuery {
  const tokens = [...q.matchAll(/-?(?:\w+:)?"[^"]*"|-?(?:\w+:)[({]|[(){}]|-[({]|[^\s(){}]+/g)].map(
    ([token]) => token,
  );
  let seesSpamAndTrash = false;
  let at = 0;

  const all =
    (list: readonly Matches[]): Matches =>
    (message) =>
      list.every((one) => one(message));
  const any =
    (list: readonly Matches[]): Matches =>
    (message) =>
      list.some((one) => one(message));

  /** Reads terms until one that closes. Words without OR between them must all be there. */
  function group(close: string | undefined, operator = ''): Matches {
    const terms: Matches[] = [];
    for (; at < tokens.length && tokens[at] !== close; ) {
      if (tokens[at] === 'OR') {
        at++;
        const right = term(operator);
        terms.push(any([must(terms.pop(), `'${q}' begins with OR`), right]));
      } else terms.push(term(operator));
    }
    if (close !== undefined && tokens[at++] !== close) throw new Error(`'${q}' lacks a ${close}`);
    return close === '}' ? any(terms) : all(terms);
  }

  function term(operator: string): Matches {
    const token = must(tokens[at++], `'${q}' ends too soon`);
    if (token.startsWith('-') && token.length > 1) {
      const positive = token.slice(1);
      tokens[--at] = positive;
      const inner = term(operator);
      return (message) => !inner(message);
    }
    const [, name = operator, rest = ''] = /^(?:(\w+):)?(.*)$/s.exec(token) ?? [];
    if (rest === '(') return group(')', name);
    if (rest === '{') return group('}', name);
    return simple(name.toLowerCase(), rest.replaceAll('"', ''));
  }

  function labelled(name: string): Matches {
    const wanted = name.toLowerCase();
    const found = [...labels.values()].find(
      (one) =>
        one.name.toLowerCase().replaceAll(/[\s/]/g, '-') === wanted.replaceAll(/[\s/]/g, '-'),
    );
    return ({ labels: own }) => found !== undefined && own.has(found.id);
  }

  function place(name: string): Matches {
    if (['spam', 'trash', 'anywhere'].includes(name)) seesSpamAndTrash = true;
    if (name === 'anywhere') return () => true;
    if (name === 'archive')
      return ({ labels: own }) =>
        !['INBOX', 'SPAM', 'TRASH', 'SENT', 'DRAFT'].some((one) => own.has(one));
    return labelled(name === 'drafts' ? 'draft' : name === 'chats' ? 'chat' : name);
  }

  function timeOf(text: string): number {
    if (/^\d{5,}$/.test(text)) return Number(text) * 1000;
    const [, year, month = '', day = ''] = /^(\d{4})[/-](\d\d?)[/-](\d\d?)$/.exec(text) ?? [];
    const time = Date.parse(
      `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T00:00:00${ZONE}`,
    );
    if (Number.isNaN(time)) throw new Error(`the fake cannot read the date '${text}' of '${q}'`);
    return time;
  }

  function ageOf(text: string): number {
    const [, count = '', unit = ''] = /^(\d+)([dmy])$/.exec(text) ?? [];
    return now - Number(count) * must(UNITS[unit], `the fake cannot read the age '${text}'`);
  }

  const headerHas =
    (names: readonly string[], text: string): Matches =>
    ({ mail }) =>
      names.some((name) => headerOf(mail, name).toLowerCase().includes(text.toLowerCase()));

  function simple(operator: string, value: string): Matches {
    switch (operator) {
      case '':
        return ({ mail }) =>
          [
            headerOf(mail, 'subject'),
            headerOf(mail, 'from'),
            headerOf(mail, 'to'),
            ...textsOf(mail.body),
          ]
            .join(' ')
            .toLowerCase()
            .includes(value.toLowerCase());
      case 'in':
        return place(value.toLowerCase());
      case 'label':
        return ['spam', 'trash'].includes(value.toLowerCase())
          ? place(value.toLowerCase())
          : labelled(value);
      case 'category':
        return labelled(`CATEGORY_${value === 'primary' ? 'personal' : value}`);
      case 'is':
        if (value === 'read') return ({ labels: own }) => !own.has('UNREAD');
        return labelled(must(STATES[value], `the fake does not know is:${value}`));
      case 'has':
        if (value !== 'attachment') throw new Error(`the fake does not know has:${value}`);
        return ({ mail }) => filenamesOf(mail.body).length > 0;
      case 'filename':
        return ({ mail }) =>
          filenamesOf(mail.body).some((one) => one.toLowerCase().includes(value.toLowerCase()));
      case 'from':
      case 'to':
      case 'cc':
      case 'subject':
        return headerHas([operator], value);
      case 'rfc822msgid':
        return ({ mail }) => headerOf(mail, 'message-id').includes(value);
      case 'after':
      case 'newer':
        return ({ internalDate }) => internalDate >= timeOf(value);
      case 'before':
      case 'older':
        return ({ internalDate }) => internalDate < timeOf(value);
      case 'newer_than':
        return ({ internalDate }) => internalDate >= ageOf(value);
      case 'older_than':
        return ({ internalDate }) => internalDate < ageOf(value);
      default:
        throw new Error(`the fake does not know the operator '${operator}' of '${q}'`);
    }
  }

  const matches = group(undefined);
  return { matches, seesSpamAndTrash };
}
