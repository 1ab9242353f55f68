/**
 * Reads from a question what its answer must have: the kind of answer that its question word asks for, and the numbers,
 * dates and quotations that it names. The question words are English, so of a question in another language only the
 * numbers and quotations count.
 */
import { terms } from '../../model/terms.ts';

export interface Expected {
  /** These terms belong to the question word ("how many"), so a sentence that answers seldom repeats them. */
  readonly light: ReadonlySet<string>;
  /**
   * Returns true if the question asks for an amount of money and the text has one, with its currency. The amount stands
   * for the light terms: "Total: 184.50 EUR" says what something costs.
   */
  readonly hasAmount: (text: string) => boolean;
  /** Returns true if a text has what the question word asks for. */
  readonly isIn: (text: string) => boolean;
  /** Returns true if a text has all numbers, dates and quotations of the question. */
  readonly hasNamed: (text: string) => boolean;
}

const COUNTS =
  'two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|' +
  'nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|half';
const NUMBERS = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:[$€£]?\\d[\\d.,:]*|(?:${COUNTS}|one|none|no|both|once|twice|single)\\b)`,
  'giu',
);
const UNITS =
  'seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|quarters?|decades?|fortnight|mins?|h|s|ms|milliseconds?';
const DURATION = new RegExp(
  `(?:\\d|\\b(?:one|an?|per|each|every|few|several|${COUNTS}))[\\s-]{1,2}(?:[a-z]+[\\s-]{1,2})?(?:${UNITS})\\b` +
    '|\\b(?:forever|unlimited|immediately|at once|until)\\b',
  'iu',
);
const MONTHS = 'january|february|march|april|june|july|august|september|october|november|december';
const WEEKDAYS = 'mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?';
const TIME = new RegExp(
  `\\b(?:${MONTHS}|may|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|${WEEKDAYS}|noon|midnight|morning|afternoon|` +
    'evening|night|tonight|today|tomorrow|yesterday|daily|weekly|monthly|yearly|quarterly|spring|summer|autumn|winter|' +
    'christmas|easter)\\b|\\b(?:1[5-9]|20)\\d\\d\\b|\\b\\d{1,2}:\\d\\d\\b|\\b\\d{1,2}\\s?(?:am|pm)\\b|' +
    `\\b(?:at|by|from|until|to) (?:\\d|one|${COUNTS})|\\b\\d{1,2}(?:st|nd|rd|th)\\b|` +
    '\\b(?:next|last|every|each|this|the) (?:day|week|month|year|quarter)s?\\b|\\bweek \\d|' +
    '\\b(?:after|before|until|when|since|as soon as)\\b',
  'iu',
);
const MONEY =
  /[$€£]\s?\d|\b(?:euros?|dollars?|pounds?|cents?|kroner?|kronor|francs?|shillings?|pence|eur|usd|gbp|chf|free|gratis)\b|%|\bper ?cent\b|\d[.,]\d\d\b/iu;
/** A number beside one of these words is an amount of money, although no currency is named. */
const PAID =
  /\b(?:costs?|prices?|pays?|paid|fees?|salary|wages?|rent|earns?|charged?|deductible|deposit|refund(?:ed)?|budget|fine|discount|bonus)\b/iu;
/** The question names the amount by these words, and a bill says "total" or nothing in their place. */
const PAYING = /\b(?:costs?|prices?|pays?|paid|fees?|spen[dt]|charge[ds]?)\b/g;
const DATE = /\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{4}\b/g;
const PHONE = /(?<![\p{L}\p{N}.,])\+?\(?\d(?:[\s/().-]{0,2}\d){5,14}(?![\p{L}\p{N}])/u;
const AGE = /\b(?:ages?|aged|years?|old|birthday|turn(?:s|ed)?|born)\b/iu;

/** Each kind is asked for by these words. The first kind that fits is expected. */
const KINDS = [
  { kind: 'age', asked: /\bhow old\b|\b(?:minimum|maximum) age\b/ },
  { kind: 'duration', asked: /\b(?:for )?how (?:long|quickly|soon)\b|\bduration\b/ },
  {
    kind: 'money',
    asked:
      /\bhow much\b(?=.*\b(?:costs?|prices?|pays?|paid|fees?|salary|wage|rent|earns?|spen[dt]|charge[ds]?|worth|bonus|budget|premium|interest|money|revenue|profit|loan|fine|deposit|deductible|discount|refund(?:ed)?)\b)|\bprices? (?:of|per|for)\b|^prices?\b|\bprice$|\bcosts? (?:of|per|for)\b|\bcost$|\bwhat (?:did|does|do|is|was|are) .*\b(?:pay|paid|cost|price|fee|salary|rent)\b|\bfee (?:of|for)\b|\binterest rate\b|\b(?:premium|salary) of\b/,
  },
  {
    kind: 'phone',
    asked: /\b(?:phone|telephone|mobile|cell|fax|hotline) numbers?\b/,
  },
  {
    kind: 'number',
    asked:
      /\bhow (?:much|many|fast|far|high|tall|deep|big|large|heavy|often|wide)\b|\b(?:number|length|height|width|depth|size|speed|weight|percentage|maximum|minimum|max|min) (?:of|number)\b|^(?:maximum|minimum|max|min)\b|\bwhat (?:percent|percentage|share)\b|\bpopulation\b|\bwhich (?:[\w.]+ )?versions?\b/,
  },
  {
    kind: 'time',
    asked:
      /^(?:\w+ )?when\b|\b(?:until|by|since|from) when\b|\b(?:what|which) (?:time|day|date|year|month)\b|\b(?:opening|business|office) hours\b|\bdeadline\b|\bdate of\b/,
  },
] as const;

type AnswerKind = (typeof KINDS)[number]['kind'];

export function expectedBy(question: string): Expected {
  const asked = question.toLowerCase().trim();
  const found = KINDS.map(({ kind, asked: words }) => ({ kind, words: words.exec(asked)?.[0] }));
  const first = found.find(({ words }) => words !== undefined);
  return {
    light: new Set(first ? lightOf(first.kind, first.words ?? '', asked) : []),
    hasAmount: (text) => first?.kind === 'money' && MONEY.test(text),
    isIn: first ? isInOf(first.kind, question) : () => true,
    hasNamed: hasNamedOf(question),
  };
}

/** The words between "what did" and "cost" are the subject of the question, and not a part of its question word. */
function lightOf(kind: AnswerKind, words: string, asked: string): string[] {
  if (kind !== 'money') return terms(words);
  const paying = (asked.match(PAYING) ?? []).join(' ');
  return terms(`${words.replace(/^(what (?:did|does|do|is|was|are)) .* /, '$1 ')} ${paying}`);
}

/** A number that is in the question itself does not count as an answer. */
function isInOf(kind: AnswerKind, question: string): Expected['isIn'] {
  const numbersIn = (text: string) =>
    (text.match(NUMBERS) ?? []).map((number) => number.toLowerCase().replace(/[.,:]+$/, ''));
  const asked = new Set(numbersIn(question));
  const hasNumber = (text: string) => numbersIn(text).some((number) => !asked.has(number));
  switch (kind) {
    case 'age':
      return (text) => hasNumber(text) && AGE.test(text);
    case 'duration':
      return (text) => DURATION.test(text) || (/\d/.test(text) && TIME.test(text));
    case 'money':
      return (text) => MONEY.test(text) || (PAID.test(text) && hasNumber(text));
    case 'phone':
      return (text) => PHONE.test(text.replace(DATE, ''));
    case 'number':
      return hasNumber;
    case 'time':
      return (text) => TIME.test(text) || DURATION.test(text);
  }
}

/** Numbers and identifiers with digits: "2024", "0.43", "E7", "HTTP/3". */
const WITH_DIGITS = /(?<![\p{L}\p{N}])(?:\p{L}+\/)?\p{L}*\p{N}[\p{L}\p{N}.:/-]*/gu;
/**
 * An ordinal counts only together with its noun ("third quarter"), because the same ordinal may stand beside other
 * nouns.
 */
const DATES = new RegExp(
  `\\b(?:${MONTHS}|${WEEKDAYS}|(?:second|third|fourth|fifth|sixth) [a-z]+)\\b`,
  'giu',
);
/** No real question names more than this, but a pasted text may. */
const MOST_NAMED = 20;
const QUOTED = /["“]([^"”\n]{2,100})["”]/gu;

/** Returns an expression that matches this text. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function hasNamedOf(question: string): Expected['hasNamed'] {
  const plain = (text: string) => text.toLowerCase().replace(/\s+/g, ' ');
  const named = [
    ...[...question.matchAll(WITH_DIGITS)].map(([one]) => one.replace(/[.:/-]+$/, '')),
    ...[...question.matchAll(DATES)].map(([one]) => one.replace(/days$/i, 'day')),
    ...[...question.matchAll(QUOTED)].map(([, one]) => one!),
  ]
    .slice(0, MOST_NAMED)
    .map((one) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(plain(one))}(?!\\p{N})`, 'u'));
  return (text) => {
    if (named.length === 0) return true;
    const searched = plain(text);
    return named.every((one) => one.test(searched));
  };
}
