import '../../styles/agentic.css';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { IN_PLACE } from '../../lib/in-place.ts';
import { messageOf } from '../../lib/refusal.ts';
import { useTyped } from '../../lib/use-typed.ts';
import { SearchBox } from '../../parts/search/search-box.tsx';
import { type Asked, useAnswer } from '../../parts/search/use-answer.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty, Page as Frame } from '../../ui/page.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { Agentic } from './agentic.tsx';
import { AnswerBox } from './answer-box.tsx';
import { Facets } from './facets.tsx';
import { FromCode } from './from-code.tsx';
import { MissingResults } from './missing-results.tsx';
import { Options } from './options.tsx';
import { ResultList } from './result-list.tsx';
import { FIRST, useAsked } from './use-asked.ts';

/** Another question, or another collection, has other results, so nothing is open in them. */
const WITHOUT_DETAILS = { why: undefined, limit: undefined };

/** One search over a collection. All its settings are in the address. */
export function Page() {
  const navigate = useNavigate({ from: '/search' });
  const read = useAsked();
  const [typed, setTyped] = useTyped(read?.asked.query ?? '');
  const [showsOptions, setShowsOptions] = useState(false);
  const inSteps = read?.given.mode === 'steps';
  const isAsked = read !== null && read.asked.query !== '' && !read.isBroken;
  const answer = useAnswer(isAsked && !inSteps ? read.asked : null);
  if (!read)
    return (
      <Frame title="Search">
        <Empty>There is no collection yet, so there is nothing to search.</Empty>
      </Frame>
    );
  const { given, asked, isAdmin, collections } = read;
  const set = (change: Partial<typeof given>) =>
    void navigate({ search: (old) => ({ ...old, ...change }), ...IN_PLACE });
  function ask(query: string): void {
    setShowsOptions(false);
    void navigate({ search: (old) => ({ ...old, ...WITHOUT_DETAILS, q: query || undefined }) });
  }
  return (
    <Frame title="Search">
      <SearchBox
        typed={typed}
        isSearching={answer.isFetching}
        keyShortcut="/"
        onType={setTyped}
        onAsk={ask}
      />
      <Options {...{ read, isAsked }} isOpen={showsOptions} onOpen={setShowsOptions} onChange={set}>
        <select
          className="input"
          aria-label="Collection"
          value={asked.collection}
          onChange={({ target }) =>
            set({
              ...{ ...WITHOUT_DETAILS, c: target.value },
              ...{ type: undefined, source: undefined, f: undefined, filter: undefined },
            })
          }
        >
          {collections.map((one) => (
            <option key={one.readable_id} value={one.readable_id}>
              {one.name}
            </option>
          ))}
        </select>
      </Options>
      <Waiting
        what="The results"
        failureCount={answer.failureCount}
        failureReason={answer.error ? null : answer.failureReason}
      />
      {answer.error && (
        <Banner
          tone="bad"
          title="The search was not done"
          actions={<Button onClick={() => void answer.refetch()}>Try again</Button>}
        >
          {messageOf(answer.error)}
        </Banner>
      )}
      {isAsked && (inSteps || answer.data) && (
        <div className="cols aside">
          <div className="stack">
            {inSteps && <InSteps asked={asked} />}
            {!inSteps && answer.data && (
              <>
                <MissingResults metadata={answer.data.metadata} />
                <AnswerBox answer={answer.data} />
                <ResultList
                  answer={answer.data}
                  asked={asked}
                  why={given.why}
                  onWhy={(why) => set({ why })}
                  onMore={() => set({ limit: String(asked.limit + FIRST) })}
                />
              </>
            )}
          </div>
          <div className="stack">
            <div className="stack beside">
              <Facets asked={asked} onChange={set} />
            </div>
            {!inSteps && <FromCode asked={asked} mayMakeKeys={isAdmin} />}
          </div>
        </div>
      )}
      {asked.query === '' && (
        <p className="soft">
          Searches{' '}
          <bdi>
            {collections.find((one) => one.readable_id === asked.collection)?.name ??
              asked.collection}
          </bdi>{' '}
          by words and by meaning. Press <kbd>/</kbd> to write, and Enter to search.
        </p>
      )}
    </Frame>
  );
}

const InSteps = ({ asked }: { readonly asked: Asked }) =>
  asked.filter ? (
    <Banner tone="info" title="An agentic search takes no filter in JSON">
      Take it away and add conditions instead, or search once.
    </Banner>
  ) : (
    <Agentic asked={asked} />
  );
