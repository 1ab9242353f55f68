/** Finds the parts of a text that must be redacted, and replaces them. */
import { cards, ibans } from './numbers.ts';
import { emails, phones, secrets } from './patterns.ts';
import { inOrder, type TextSpan, withLabels } from './spans.ts';

export const KINDS = ['secret', 'email', 'phone', 'iban', 'card'] as const;
export type RedactionKind = (typeof KINDS)[number];

const FIND: Record<RedactionKind, (text: string) => Iterable<TextSpan>> = {
  secret: secrets,
  email: emails,
  phone: phones,
  iban: ibans,
  card: cards,
};

export const spansOf = (text: string, kinds: readonly RedactionKind[]): TextSpan[] =>
  inOrder(kinds.flatMap((kind) => [...FIND[kind](text)]));

export const redactText = (text: string, kinds: readonly RedactionKind[] = KINDS): string =>
  withLabels(text, spansOf(text, kinds));
