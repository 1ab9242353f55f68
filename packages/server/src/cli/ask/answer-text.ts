/** Puts an answer with its sources into lines for a terminal. */
import { styleText } from 'node:util';
import { piecesOf } from '#quarry-text/citations';
import type { AgenticAnswer, AgenticResult } from '../../search/agent/schema.ts';
import { plain } from '../live-line.ts';

/** Sources that the answer does not cite are not listed, unless it cites none. */
const MOST_UNCITED = 5;

/** Returns the answer, whose numbers lead to the sources below it. */
export function answerText(
  { answer, results, metadata }: AgenticAnswer,
  { collection }: { readonly collection: string },
): string {
  const ids = results.map(({ entity_id }) => entity_id);
  const pieces = piecesOf(answer.text, ids);
  const cited = [...new Set(pieces.flatMap((piece) => ('cites' in piece ? [piece.cites] : [])))];
  const numberOf = new Map(cited.map((cite, i) => [cite, i + 1]));
  const text = pieces
    .map((piece) => ('text' in piece ? piece.text : `[${numberOf.get(piece.cites)}]`))
    .join('');
  const shown =
    cited.length > 0
      ? cited.flatMap((cite) => results[cite - 1] ?? [])
      : results.slice(0, MOST_UNCITED);
  const isQuoted = metadata.degraded.includes('answer');
  return [
    ...text.split('\n').map(plain),
    '',
    ...(shown.length > 0 ? [`Sources in ${plain(collection)}:`] : []),
    ...shown.map(
      (result, i) => `${i + 1}. ${styleText('bold', plain(result.name))}${placeText(result)}`,
    ),
    ...(isQuoted ? ['', styleText('dim', QUOTED)] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** A file without an address has its path in its folder. A document has its page, slide, sheet or time. */
function placeText({ name, place, web_url, raw_source_fields: { path } }: AgenticResult): string {
  const address = web_url !== '' ? web_url : typeof path === 'string' ? path : '';
  const shown = [
    ...(place === null ? [] : [styleText('dim', plain(place))]),
    ...(address === '' || address === name ? [] : [styleText('cyan', plain(address))]),
  ];
  return shown.map((one) => `  ${one}`).join('');
}

const QUOTED =
  'No language model is set, so the answer quotes sentences. QUARRY_LLM sets one (quarry config).';
