/**
 * Decides which sentences of a model's answer may be returned: those that name passages which were shown to the
 * model, and that say what these passages say. All others are left out, whatever text made the model write them.
 */
import { terms } from '../../model/terms.ts';
import { indexTerms } from '../../model/title.ts';
import type { Draft, Passage } from '../passage.ts';

/** The named passages (or the question) must have this share of a sentence's words. */
const SUPPORTED = 0.6;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
/** The expression matches the mark of a passage, such as [2], with the blanks before it. */
const MARK = /\s*\[(\d{1,3})\]/g;
/** The expression matches an id in the form of ours that the model has written itself. */
const FORGED = /\s*\[[^[\]]*__chunk_\d+[^[\]]*\]/g;

/** Returns null when no sentence may be returned. */
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
  // A reader cannot tell a wrong number from the right one, so every number must be in the passages.
  if (said.some((term) => /\d/.test(term) && !found.has(term))) return false;
  const supported = said.filter((term) => found.has(term) || asked.includes(term)).length;
  return said.length > 0 && supported >= SUPPORTED * said.length;
}

/**
 * Marks behind the full stop belong to the sentence before them. The segmenter does not end a sentence at a full
 * stop that touches a bracket, so each mark gets a blank before it.
 */
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
