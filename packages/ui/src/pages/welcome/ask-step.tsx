import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { suggestedSearches } from '../../lib/first-run.ts';
import { messageOf } from '../../lib/refusal.ts';
import { ResultTitle } from '../../parts/search/result-title.tsx';
import { SearchBox } from '../../parts/search/search-box.tsx';
import {
  isLive,
  passageOfResult,
  placeOf,
  recordSearchOf,
} from '../../parts/search/shown-result.ts';
import { type Answer, useAnswer } from '../../parts/search/use-answer.ts';
import { Banner } from '../../ui/banner.tsx';

/** The first searches, which work while the first sync still runs. */
export function Ask({
  collection,
  records,
}: {
  readonly collection: string;
  /** When their number changes, a search that found nothing is made again. */
  readonly records: number;
}) {
  const { q } = useSearch({ from: '/bare/welcome' });
  const navigate = useNavigate({ from: '/welcome' });
  const [typed, setTyped] = useState(q ?? '');
  const asked = q
    ? {
        ...({ collection, query: q, strategy: 'hybrid', recency: 0 } as const),
        ...{ types: [], sources: [], conditions: [], filter: undefined, as: undefined, limit: 10 },
      }
    : null;
  const answer = useAnswer(asked);
  const { refetch } = answer;
  const isEmpty = answer.data?.results.length === 0;
  useEffect(() => {
    if (records > 0 && isEmpty) void refetch();
  }, [records, isEmpty, refetch]);
  const ask = (query: string) =>
    void navigate({
      search: (old) => ({ ...old, q: query || undefined }),
      replace: true,
      resetScroll: false,
    });
  return (
    <div className="tight">
      <SearchBox typed={typed} isSearching={answer.isFetching} onType={setTyped} onAsk={ask} />
      <Suggestions
        records={records}
        collection={collection}
        onChoose={(text) => {
          setTyped(text);
          ask(text);
        }}
      />
      {answer.error && (
        <Banner tone="bad" title="The search was not done">
          {messageOf(answer.error)}
        </Banner>
      )}
      {asked && answer.data && <First answer={answer.data} asked={asked} />}
    </div>
  );
}

function Suggestions({
  collection,
  records,
  onChoose,
}: {
  readonly collection: string;
  readonly records: number;
  readonly onChoose: (text: string) => void;
}) {
  const { data: names = [] } = useQuery({
    placeholderData: keepPreviousData,
    queryKey: ['contents', collection, 'names', records],
    queryFn: async ({ signal }) => {
      const { items } = await bodyOf(
        client.GET('/v1/collections/{readable_id}/contents/list', {
          params: { path: { readable_id: collection }, query: { limit: 50 } },
          signal,
        }),
      );
      return items.map(({ name }) => name);
    },
  });
  const texts = suggestedSearches(names);
  if (texts.length === 0) return null;
  return (
    <p className="row wrap">
      <span className="muted small">From what was read:</span>
      {texts.map((text) => (
        <button key={text} type="button" className="tag choice" onClick={() => onChoose(text)}>
          <bdi>{text}</bdi>
        </button>
      ))}
    </p>
  );
}

function First({
  answer,
  asked,
}: {
  readonly answer: Answer;
  readonly asked: { readonly collection: string; readonly query: string };
}) {
  const [result] = answer.results;
  if (!result)
    return <p className="soft">Nothing matches yet. Try fewer or other words, or wait for more.</p>;
  const search = { c: asked.collection, q: asked.query };
  return (
    <section className="card first-result" aria-label="The best result">
      <p className="row wrap small muted">
        <span className="grow">
          {placeOf(result).map((one) => (
            <bdi key={one}>{one} › </bdi>
          ))}
          <ResultTitle
            name={result.metadata.name}
            collection={asked.collection}
            record={recordSearchOf(result, asked.query)}
            original={isLive(result.source_name, answer.metadata) ? result.url : null}
            className="link"
          />
        </span>
        found in {Math.max(1, Math.round(answer.tookMs))} ms
      </p>
      <p className="first-passage" dir="auto">
        {passageOfResult(result, asked.query).map(({ text, isMatch }, i) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a passage never move.
          isMatch ? <mark key={i}>{text}</mark> : <span key={i}>{text}</span>,
        )}
      </p>
      <p className="row wrap small">
        <Link to="/search" search={{ ...search, why: result.entity_id }} className="link">
          Why first?
        </Link>
        <Link to="/search" search={search} className="link">
          Open the results
        </Link>
      </p>
    </section>
  );
}
