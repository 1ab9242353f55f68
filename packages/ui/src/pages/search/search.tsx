import '../../styles/agentic.css';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { collectionsQuery, meQuery } from '../../api/queries.ts';
import { messageOf } from '../../api/refusal.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Segments } from '../../ui/field.tsx';
import { Empty, Page as Frame } from '../../ui/page.tsx';
import { Agentic } from './agentic.tsx';
import { AnswerBox } from './answer-box.tsx';
import { Facets } from './facets.tsx';
import { FromCode } from './from-code.tsx';
import { ResultList } from './result-list.tsx';
import { SearchBox } from './search-box.tsx';
import { type Asked, useAnswer } from './use-answer.ts';

const STRATEGIES = [
  { value: 'hybrid', label: 'Words and meaning' },
  { value: 'keyword', label: 'Words' },
  { value: 'neural', label: 'Meaning' },
] as const;
const MODES = [
  { value: 'once', label: 'Search' },
  { value: 'steps', label: 'In steps' },
] as const;
const RECENCIES = ['0', '0.1', '0.3', '0.6'];
const FIRST = 10;

/** One search over a collection. All its settings are in the address. */
export function Page() {
  const given = useSearch({ from: '/shell/search' });
  const navigate = useNavigate({ from: '/search' });
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: collections } = useSuspenseQuery(collectionsQuery);
  const collection = given.c ?? collections.items[0]?.readable_id;
  const [typed, setTyped] = useState(given.q ?? '');
  const [limit, setLimit] = useState(FIRST);
  const box = useSlashKey();
  const strategy = STRATEGIES.find(({ value }) => value === given.by)?.value ?? 'hybrid';
  const recency = RECENCIES.includes(given.recency ?? '') ? Number(given.recency) : 0;

  const set = (change: Partial<typeof given>) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  function ask(query: string): void {
    setLimit(FIRST);
    void navigate({
      search: (old) => ({
        ...old,
        q: query || undefined,
        type: undefined,
        source: undefined,
        why: undefined,
      }),
    });
  }
  const asked: Asked | null =
    collection && given.q
      ? {
          ...{ collection, query: given.q, strategy, recency, limit },
          types: given.type ?? [],
          sources: given.source ?? [],
          as: me.role === 'admin' ? principalOf(given.as) : undefined,
        }
      : null;
  const inSteps = given.mode === 'steps';
  const answer = useAnswer(inSteps ? null : asked);
  if (!collection)
    return (
      <Frame title="Search">
        <Empty>There is no collection yet, so there is nothing to search.</Empty>
      </Frame>
    );
  return (
    <Frame title="Search">
      <SearchBox
        typed={typed}
        isSearching={answer.isFetching}
        input={box}
        onType={setTyped}
        onAsk={ask}
      />
      <div className="search-tools">
        <select
          className="input"
          aria-label="Collection"
          value={collection}
          onChange={(event) => set({ c: event.target.value, type: undefined, source: undefined })}
        >
          {collections.items.map((one) => (
            <option key={one.readable_id} value={one.readable_id}>
              {one.name}
            </option>
          ))}
        </select>
        <Segments
          label="How to search"
          value={inSteps ? 'steps' : 'once'}
          onValue={(mode) => set({ mode: mode === 'steps' ? mode : undefined, why: undefined })}
          choices={MODES}
        />
        {!inSteps && <Ranking strategy={strategy} recency={recency} onChange={set} />}
        {me.role === 'admin' && <SearchAs value={given.as} onValue={(as) => set({ as })} />}
      </div>
      {answer.error && (
        <Banner
          tone="bad"
          title="The search was not done"
          actions={<Button onClick={() => void answer.refetch()}>Try again</Button>}
        >
          {messageOf(answer.error)}
        </Banner>
      )}
      {asked && inSteps && (
        <div className="cols aside">
          <Agentic asked={asked} />
          <div className="stack">
            <Facets asked={asked} onChange={set} />
          </div>
        </div>
      )}
      {asked && !inSteps && answer.data && (
        <div className="cols aside">
          <div className="stack">
            <AnswerBox answer={answer.data} />
            <ResultList
              answer={answer.data}
              asked={asked}
              why={given.why}
              onWhy={(why) => set({ why })}
              onMore={() => setLimit(limit + FIRST)}
            />
          </div>
          <div className="stack">
            <Facets asked={asked} onChange={set} />
            <FromCode asked={asked} />
          </div>
        </div>
      )}
      {!asked && <Hints collection={collection} />}
    </Frame>
  );
}

/** Chooses what must match, and whether newer records come first. */
const Ranking = ({
  strategy,
  recency,
  onChange,
}: {
  readonly strategy: string;
  readonly recency: number;
  readonly onChange: (change: { by?: string | undefined; recency?: string | undefined }) => void;
}) => (
  <>
    <Segments
      label="What must match"
      value={strategy}
      onValue={(by) => onChange({ by: by === 'hybrid' ? undefined : by })}
      choices={STRATEGIES}
    />
    <select
      className="input"
      aria-label="Newer records first"
      value={String(recency)}
      onChange={({ target }) =>
        onChange({ recency: target.value === '0' ? undefined : target.value })
      }
    >
      {RECENCIES.map((one) => (
        <option key={one} value={one}>
          {one === '0' ? 'Recency off' : `Recency ${Number(one) * 100} %`}
        </option>
      ))}
    </select>
  </>
);

/** A person is named by the e-mail address alone; X-Principals also takes groups. */
const principalOf = (as: string | undefined): string | undefined =>
  as === undefined || as.includes(':') ? as : `user:${as}`;

/** The key / puts the cursor into the search box, unless somebody writes elsewhere. */
function useSlashKey() {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      const isWriting =
        event.target instanceof Element && event.target.closest('input, textarea, select');
      if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      box.current?.focus();
    }
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return box;
}

/** An admin sees what another person would find. */
function SearchAs({
  value = '',
  onValue,
}: {
  readonly value: string | undefined;
  readonly onValue: (value: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(value);
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        onValue(typed.trim() || undefined);
      }}
    >
      <input
        className="input"
        aria-label="Search as another person (e-mail address)"
        placeholder="As everybody"
        title="The e-mail address of a person: you then find what this person may see"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => onValue(typed.trim() || undefined)}
      />
    </form>
  );
}

function Hints({ collection }: { readonly collection: string }) {
  const { data } = useQuery(collectionsQuery);
  const name = data?.items.find((one) => one.readable_id === collection)?.name ?? collection;
  return (
    <p className="soft">
      Searches <bdi>{name}</bdi> by words and by meaning. Press <kbd>/</kbd> to write, and Enter to
      search.
    </p>
  );
}
