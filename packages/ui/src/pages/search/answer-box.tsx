import { piecesOf } from '../../lib/citations.ts';
import { goToResult } from '../../lib/rows.ts';
import { duration } from '../../lib/time.ts';
import { Card } from '../../ui/page.tsx';
import type { Answer } from './use-answer.ts';

const GOES_WITHOUT = 'generate_answer';

/** Shows the answer with its citations, which lead to their passages. */
export function AnswerBox({ answer }: { readonly answer: Answer }) {
  const { completion, results, metadata } = answer;
  if (!completion || results.length === 0) return null;
  const isQuoted = metadata.degraded.includes(GOES_WITHOUT);
  const pieces = piecesOf(
    completion,
    results.map(({ entity_id }) => entity_id),
  );
  return (
    <Card
      title="Answer"
      note={isQuoted ? <span className="tag">quoted from the results</span> : undefined}
      actions={<span className="muted small">{duration(answer.tookMs)}</span>}
    >
      <div className="pad answer">
        <p dir="auto">
          {pieces.map((piece, i) =>
            'text' in piece ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of an answer never move.
              <span key={i}>{piece.text}</span>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of an answer never move.
              <Cite key={i} number={piece.cites} />
            ),
          )}
        </p>
        {isQuoted && (
          <p className="muted small">
            No language model is set up, so Quarry quotes sentences and ranks without a reranker.
          </p>
        )}
      </div>
    </Card>
  );
}

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
