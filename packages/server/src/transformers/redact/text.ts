/** Finds what is to be redacted in a text. */
import { cards, ibans } from './numbers.ts';
import { emails, phones, secrets } from './patterns.ts';
import { inOrder, replaced, type Span } from './spans.ts';

export const KINDS = ['secret', 'email', 'phone', 'iban', 'card'] as const;
export type Kind = (typeof KINDS)[number];

const FIND: Record<Kind, (text: string) => Iterable<Span>> = {
  secret: secrets,
  email: emails,
  phone: phones,
  iban: ibans,
  card: cards,
};

export const spansOf = (text: string, kinds: readonly Kind[]): Span[] =>
  inOrder(kinds.flatMap((kind) => [...FIND[kind](text)]));

export const redactText = (text: string, kinds: readonly Kind[] = KINDS): string =>
  replaced(text, spansOf(text, kinds));
