/**
 * Decides what of a model's answer may be given: sentences that name passages which were shown to it and that
 * say what those passages say. The rest is left out, whoever made the model say it.
 */
import { indexTerms, terms } from '../../model/terms.ts';
import type { Draft, Passage } from '../passage.ts';

/** The passages that a sentence names (or the question) must have this share of its words. */
const SUPPORTED = 0.6;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
/** It matches a mark, with the blanks before it. */
const MARK = /\s*\[(\d{1,3})\]/g;
/** It matches an id that the model has written itself, in the form of ours. */
const FORGED = /\s*\[[^[\]]*__chunk_\d+[^[\]]*\]/g;

/** Gives null when nothing of it may be given. */
export function grounded(
  text: string,
  question: { readonly terms: readonly string[] },
  shown: readonly Passage[],
): Draft | null {
  const citations = new Set<string>();
  const kept = sentencesWithMarks(text).flatMap((sentence) => {
    const named = [...sentence.matchAll(MARK)].flatMap(([, n]) => shown[Number(n) - 1] ?? []);
    const plain = sentence
      .replace(MARK, '')
      .replace(FORGED, '')
      .replace(/\s+([.,;:!?])/g, '$1')
      .trim();
    if (named.length === 0 || !isSupported(plain, question.terms, named)) return [];
    const ids = [...new Set(named.map(({ id }) => id))];
    for (const id of ids) citations.add(id);
    return [`${plain} ${ids.map((id) => `[${id}]`).join(' ')}`];
  });
  return kept.length === 0 ? null : { text: kept.join(' '), citations: [...citations] };
}

function isSupported(
  sentence: string,
  asked: readonly string[],
  passages: readonly Passage[],
): boolean {
  const said = [...new Set(terms(sentence))];
  const found = new Set(passages.flatMap(({ row }) => indexTerms(row)));
  // A wrong number looks as good as the right one.
  if (said.some((term) => /\d/.test(term) && !found.has(term))) return false;
  const supported = said.filter((term) => found.has(term) || asked.includes(term)).length;
  return said.length > 0 && supported >= SUPPORTED * said.length;
}

/** Marks behind the full stop belong to the sentence before them; no sentence ends at a full stop that touches a bracket. */
function sentencesWithMarks(text: string): string[] {
  const found: string[] = [];
  for (const { segment } of sentences.segment(text.replace(MARK, ' [$1]'))) {
    const [leading = ''] = /^\s*(?:\[\d{1,3}\][\s,.;]*)*/.exec(segment) ?? [];
    if (leading.trim() !== '' && found.length > 0) found[found.length - 1] += leading;
    const rest = segment.slice(leading.trim() !== '' && found.length > 0 ? leading.length : 0);
    if (rest.trim() !== '') found.push(rest);
  }
  return found;
}
