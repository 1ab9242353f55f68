import { useQuery } from '@tanstack/react-query';
import { passageOf, plainText } from 'quarry-text/passage';
import { stepLine } from 'quarry-text/steps';
import { connectionsQuery } from '../../api/queries.ts';
import { useSourceNames } from '../../api/use-source-names.ts';
import { type AgenticAnswer, STOPPED, withoutModel } from '../../lib/agentic.ts';
import { messageOf } from '../../lib/refusal.ts';
import { OriginalLink, ResultTitle } from '../../parts/search/result-title.tsx';
import { isLive } from '../../parts/search/shown-result.ts';
import type { Asked } from '../../parts/search/use-answer.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { RequestId } from '../../ui/part.tsx';
import { State } from '../../ui/state.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { CitedText, cites } from './answer-box.tsx';
import { SilentSources } from './missing-results.tsx';
import { useAgentic } from './use-agentic.ts';

/** Plans, searches and checks until the question is answered, and shows each step as it comes. */
export function Agentic({ asked }: { readonly asked: Asked }) {
  const told = useAgentic(asked);
  const { steps, answer, error, state, cancel, again } = told;
  const isWaiting = state === 'running' && steps.length === 0;
  const lines = (
    <ol className="search-steps" aria-label="Steps">
      {steps.map((step, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps never move.
        <li key={i}>{stepLine(step)}</li>
      ))}
    </ol>
  );
  return (
    <div className="stack">
      {isWaiting && <Waiting what="The answer" {...told} />}
      {state === 'running' && (
        <Card
          title="Steps"
          note={<State tone="live">Working</State>}
          actions={
            <Button size="sm" onClick={cancel}>
              Cancel
            </Button>
          }
        >
          <div className="pad">
            {steps.length === 0 ? <p className="muted">Planning …</p> : lines}
          </div>
        </Card>
      )}
      {state === 'cancelled' && (
        <Banner tone="info" title="Cancelled" actions={<Button onClick={again}>Ask again</Button>}>
          Nothing more is searched. What was found until then is not shown.
        </Banner>
      )}
      {error !== null && (
        <Banner
          tone="bad"
          title="There is no answer"
          actions={<Button onClick={again}>Ask again</Button>}
        >
          {messageOf(error)} <RequestId error={error} />
        </Banner>
      )}
      {answer && (
        <>
          <SilentSources sources={answer.metadata.federated} />
          <Done answer={answer} asked={asked} />
        </>
      )}
      {state !== 'running' && steps.length > 0 && (
        <details className="card pad">
          <summary>
            {steps.length} steps{' '}
            {answer && <span className="muted">{STOPPED[answer.metadata.stopped_by]}</span>}
          </summary>
          {lines}
        </details>
      )}
      {answer && <Passages answer={answer} asked={asked} />}
    </div>
  );
}

interface DoneProps {
  readonly answer: AgenticAnswer;
  readonly asked: Asked;
}

function Done({ answer: { answer, results, metadata } }: DoneProps) {
  const lacking = withoutModel(metadata.degraded);
  const isQuoted = metadata.degraded.includes('answer');
  const ids = results.map(({ entity_id }) => entity_id);
  return (
    <Card
      title="Answer"
      note={
        isQuoted && cites(answer.text, ids) && <span className="tag">quoted from the results</span>
      }
    >
      <div className="pad answer">
        <CitedText text={answer.text} {...{ ids, isQuoted }} />
        {lacking !== null && <p className="muted small">{lacking}</p>}
      </div>
    </Card>
  );
}

function Passages({ answer: { results, metadata }, asked }: DoneProps) {
  const nameOf = useSourceNames();
  const { data } = useQuery(connectionsQuery(asked.collection));
  if (results.length === 0)
    return <Empty>Nothing was found. Try other words, or take filters away.</Empty>;
  return (
    <ol className="results" aria-label="Passages">
      {results.map(({ entity_id, name, web_url, textual_representation: text, ...result }, i) => {
        const { sync_id, original_entity_id, chunk_index, source_name } =
          result.service_system_metadata;
        const connection = data?.items.find((one) => one.sync_id === sync_id);
        return (
          <li key={entity_id} id={`result-${i + 1}`}>
            <span className="number" aria-hidden="true">
              {i + 1}
            </span>
            <div>
              <ResultTitle
                name={name}
                collection={asked.collection}
                record={{
                  id: `${connection?.id ?? ''}:${original_entity_id}`,
                  at: String(chunk_index),
                }}
                original={isLive(source_name, metadata) ? web_url : null}
                className="result-title"
              />
              <p className="passage" dir="auto">
                {passageOf(plainText(text).replaceAll(/\s*\n\s*/g, ' '), asked.query).map(
                  ({ text: piece, isMatch }, at) =>
                    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a passage never move.
                    isMatch ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
                )}
              </p>
              <p className="row wrap small muted">
                <span>
                  {nameOf(source_name)}
                  {result.place !== null && ` · ${result.place}`} · relevance{' '}
                  {result.relevance_score.toFixed(3)}
                </span>
                <OriginalLink url={web_url} name={name} />
              </p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
