import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { counted } from 'quarry-text/numbers';
import { useSourceNames } from '../../api/use-source-names.ts';
import { shownPartsOf } from '../../lib/explain.ts';
import { OriginalLink, ResultTitle } from '../../parts/search/result-title.tsx';
import {
  isLive,
  passageOfResult,
  placeOf,
  recordSearchOf,
} from '../../parts/search/shown-result.ts';
import type { Answer, Asked, Result } from '../../parts/search/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { contentsQuery } from './contents-query.ts';
import { Explain } from './explain.tsx';

interface ResultListProps {
  readonly answer: Answer;
  readonly asked: Asked;
  /** The score of this result is explained. */
  readonly why: string | undefined;
  readonly onWhy: (id: string | undefined) => void;
  readonly onMore: () => void;
}

export function ResultList({ answer, asked, why, onWhy, onMore }: ResultListProps) {
  const { results } = answer;
  if (results.length === 0) return <NothingFound {...{ answer, asked }} />;
  return (
    <section aria-label="Results">
      <p className="muted small" role="status">
        {results.length === 1
          ? 'The best passage'
          : `The best ${counted(results.length, 'passage')}`}
      </p>
      <ol className="results">
        {results.map((result, i) => (
          <Item
            key={result.entity_id}
            {...{ result, asked }}
            isOfLive={isLive(result.source_name, answer.metadata)}
            number={i + 1}
            isExplained={why === result.entity_id}
            onWhy={() => onWhy(why === result.entity_id ? undefined : result.entity_id)}
          />
        ))}
      </ol>
      {results.length >= asked.limit && (
        <p className="pad">
          <Button onClick={onMore}>Show 10 more</Button>
        </p>
      )}
    </section>
  );
}

function NothingFound({ answer, asked }: Pick<ResultListProps, 'answer' | 'asked'>) {
  const { data } = useQuery(contentsQuery(asked.collection, asked.as));
  // The records of sources that are searched live are not in the contents.
  if (data?.entity_types.length === 0 && !answer.metadata.federated)
    return <Empty>This collection is empty.</Empty>;
  return <Empty>Nothing matches. Try fewer or other words, or take filters away.</Empty>;
}

interface ItemProps {
  readonly result: Result;
  readonly asked: Asked;
  /** The source was searched live. */
  readonly isOfLive: boolean;
  readonly number: number;
  readonly isExplained: boolean;
  readonly onWhy: () => void;
}

function Item({ result, asked, isOfLive, number, isExplained, onWhy }: ItemProps) {
  const sourceName = useSourceNames()(result.source_name);
  const { metadata, score, explanation, url } = result;
  const place = placeOf(result);
  if (metadata.place !== null) place.push(metadata.place);
  const passage = passageOfResult(result, asked.query);
  return (
    <li id={`result-${number}`}>
      <span className="number" aria-hidden="true">
        {number}
      </span>
      <div>
        <div className="row wrap">
          <span className="grow">
            <ResultTitle
              name={metadata.name}
              collection={asked.collection}
              record={recordSearchOf(result, asked.query)}
              original={isOfLive ? url : null}
              className="result-title"
            />
          </span>
          {explanation && (
            <button
              type="button"
              className="score"
              aria-keyshortcuts="e"
              aria-expanded={isExplained}
              aria-label={`Score ${score.toFixed(3)}: why does result ${number} stand here?`}
              onClick={onWhy}
            >
              <span className="bar" aria-hidden="true">
                {shownPartsOf(explanation.parts, score)
                  .filter(({ adds }) => adds > 0)
                  .map(({ group, adds }) => (
                    <i
                      key={group}
                      className={`fill-${group}`}
                      style={{ width: `${adds * 100}%` }}
                    />
                  ))}
              </span>
              {score.toFixed(3)}
              {isExplained ? (
                <ChevronUp size={14} aria-hidden="true" />
              ) : (
                <ChevronDown size={14} aria-hidden="true" />
              )}
            </button>
          )}
        </div>
        {place.length > 0 && (
          <p className="muted small">
            {place.map((one, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the places of a result never move.
              <span key={i}>
                {i > 0 && ' › '}
                <bdi>{one}</bdi>
              </span>
            ))}
          </p>
        )}
        <p className="passage" dir="auto">
          {passage.map(({ text, isMatch }, i) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a passage never move.
            isMatch ? <mark key={i}>{text}</mark> : <span key={i}>{text}</span>,
          )}
        </p>
        <p className="row wrap small muted">
          <span>{sourceName}</span>
          {metadata.updated_at && (
            <span>
              changed <Ago at={metadata.updated_at} />
            </span>
          )}
          <OriginalLink url={url} name={metadata.name} />
        </p>
        {isExplained && explanation && <Explain explanation={explanation} score={score} />}
      </div>
    </li>
  );
}
