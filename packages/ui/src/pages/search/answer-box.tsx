import { piecesOf } from 'quarry-text/citations';
import { duration } from 'quarry-text/time';
import { goToResult } from '../../lib/rows.ts';
import type { Answer } from '../../parts/search/use-answer.ts';
import { Card } from '../../ui/page.tsx';

const GOES_WITHOUT = 'generate_answer';

/** Shows the answer with its citations, which lead to their passages. */
export function AnswerBox({ answer }: { readonly answer: Answer }) {
  const { completion, results, metadata } = answer;
  if (!completion || results.length === 0) return null;
  const isQuoted = metadata.degraded.includes(GOES_WITHOUT);
  const ids = results.map(({ entity_id }) => entity_id);
  const isUnsaid = isQuoted && !cites(completion, ids);
  return (
    <Card
      title="Answer"
      note={
        isQuoted && !isUnsaid ? <span className="tag">quoted from the results</span> : undefined
      }
      actions={<span className="muted small">{duration(answer.tookMs)}</span>}
    >
      <div className="pad answer">
        <CitedText text={completion} {...{ ids, isQuoted }} />
        {isQuoted && !isUnsaid && (
          <p className="muted small">
            No language model wrote this answer, so Quarry quotes sentences.
          </p>
        )}
      </div>
    </Card>
  );
}

interface CitedTextProps {
  readonly text: string;
  readonly ids: readonly string[];
  /** No language model wrote the text. */
  readonly isQuoted: boolean;
}

/** Returns true if the answer has a citation of a result. */
export const cites = (text: string, ids: readonly string[]): boolean =>
  piecesOf(text, ids).some((piece) => 'cites' in piece);

/** Shows an answer whose citations lead to their passages. Where nothing could be quoted, the records may still answer. */
export const CitedText = ({ text, ids, isQuoted }: CitedTextProps) =>
  isQuoted && ids.length > 0 && !cites(text, ids) ? (
    <p>
      The records below may answer it. No language model has read them to write an answer, and no
      sentence in them says it by itself.
    </p>
  ) : (
    <p dir="auto">
      {piecesOf(text, ids).map((piece, i) =>
        'text' in piece ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of an answer never move.
          <span key={i}>{piece.text}</span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of an answer never move.
          <Cite key={i} number={piece.cites} />
        ),
      )}
    </p>
  );

const Cite = ({ number }: { readonly number: number }) => (
  <button
    type="button"
    className="cite"
    aria-label={`Result ${number}`}
    onClick={() => goToResult(number)}
  >
    {number}
  </button>
);
