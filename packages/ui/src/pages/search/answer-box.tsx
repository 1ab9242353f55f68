import { piecesOf } from 'quarry-text/citations';
import { goToResult } from '../../lib/rows.ts';
import { duration } from '../../lib/time.ts';
import type { Answer } from '../../parts/search/use-answer.ts';
import { Card } from '../../ui/page.tsx';

const GOES_WITHOUT = 'generate_answer';

/** Shows the answer with its citations, which lead to their passages. */
export function AnswerBox({ answer }: { readonly answer: Answer }) {
  const { completion, results, metadata } = answer;
  if (!completion || results.length === 0) return null;
  const isQuoted = metadata.degraded.includes(GOES_WITHOUT);
  const ids = results.map(({ entity_id }) => entity_id);
  const cites = piecesOf(completion, ids).some((piece) => 'cites' in piece);
  return (
    <Card
      title="Answer"
      note={isQuoted ? <span className="tag">quoted from the results</span> : undefined}
      actions={<span className="muted small">{duration(answer.tookMs)}</span>}
    >
      <div className="pad answer">
        <CitedText text={completion} ids={ids} />
        {isQuoted && (
          <p className="muted small">
            {cites
              ? 'No language model wrote this answer, so Quarry quotes sentences.'
              : 'No language model reads the results, and no sentence states the answer by itself. The passages below may still help.'}
          </p>
        )}
      </div>
    </Card>
  );
}

/** Shows an answer whose citations lead to their passages. */
export const CitedText = ({
  text,
  ids,
}: {
  readonly text: string;
  readonly ids: readonly string[];
}) => (
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
