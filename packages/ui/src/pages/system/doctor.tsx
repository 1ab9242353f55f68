import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count, counted } from 'quarry-text/numbers';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { collectionsQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { messageOf } from '../../lib/refusal.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { Scroller } from '../../ui/scroller.tsx';
import { State } from '../../ui/state.tsx';
import { Ago } from '../../ui/time.tsx';
import { checkOf, refreshSystem } from './check.ts';
import { Findings, type LiveRun, Run } from './findings.tsx';

type Collection = Schemas['Collection'];

/** Checks collections one after the other, and shows what was found. */
export function Doctor({ runs }: { readonly runs: readonly LiveRun[] }) {
  const collections = useQuery(collectionsQuery);
  return (
    <Part query={collections} what="The collections">
      {({ items }) => <Checks collections={items} runs={runs} />}
    </Part>
  );
}

function Checks({
  collections,
  runs,
}: {
  readonly collections: readonly Collection[];
  readonly runs: readonly LiveRun[];
}) {
  const checks = useQueries({ queries: collections.map((one) => checkOf(one.readable_id)) });
  const [done, setDone] = useState<number | null>(null);
  const times = checks.flatMap(({ data }) => data?.at ?? []).toSorted();
  const all = useSubmit(async () => {
    try {
      for (const [i, { readable_id }] of collections.entries()) {
        setDone(i);
        // A check that fails says so in its row, and the others go on.
        await queryClient.prefetchQuery(checkOf(readable_id));
      }
    } finally {
      setDone(null);
    }
  });
  const isDone = times.length === collections.length && times.length > 0;
  return (
    <Card
      title="Doctor"
      note={times[0] ? <Ago at={times[0]} /> : 'not checked since this page was opened'}
      actions={
        <Button
          size="sm"
          onClick={() => all.submit()}
          busy={done !== null && `Checking ${done + 1} of ${collections.length} …`}
        >
          {isDone ? 'Check again' : 'Check all'}
        </Button>
      }
    >
      {runs.length > 0 || checks.some(({ data }) => data?.problems.length) ? (
        <ul className="findings">
          {runs.map((run) => (
            <Run key={run.id} run={run} name={nameOf(collections, run.collection_readable_id)} />
          ))}
          {collections.map((collection, i) => (
            <Findings
              key={collection.readable_id}
              collection={collection}
              report={checks[i]?.data}
            />
          ))}
        </ul>
      ) : (
        <p className="pad soft small">
          A check compares records, words, vectors and memory with each other. It asks no source,
          and searches go on meanwhile.
        </p>
      )}
      {collections.length === 0 ? (
        <Empty>No collection yet.</Empty>
      ) : (
        <Scroller>
          <table className="stacked">
            <thead>
              <tr>
                <th>Collection</th>
                <th>Result</th>
                {FIGURES.map((figure) => (
                  <th key={figure} className="num">
                    {figure}
                  </th>
                ))}
                <th>
                  <span className="sr">Work</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {collections.map((collection, i) => (
                <Row
                  key={collection.readable_id}
                  collection={collection}
                  check={checks[i]}
                  run={runs.find((run) => run.collection_readable_id === collection.readable_id)}
                />
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </Card>
  );
}

const nameOf = (collections: readonly Collection[], readable_id: string) =>
  collections.find((one) => one.readable_id === readable_id)?.name ?? readable_id;

function Row({
  collection: { name, readable_id },
  check,
  run,
}: {
  readonly collection: Collection;
  readonly check:
    | { data?: Schemas['DoctorReport'] | undefined; error: unknown; isFetching: boolean }
    | undefined;
  readonly run: LiveRun | undefined;
}) {
  const reindex = useSubmit(async () => {
    await bodyOf(
      client.POST('/v1/collections/{readable_id}/reindex', { params: { path: { readable_id } } }),
    );
    await refreshSystem();
  });
  const checked = check?.data?.checked;
  const figures = checked && [
    checked.entities,
    checked.chunks,
    checked.words,
    checked.vectors,
    checked.in_memory,
  ];
  return (
    <tr>
      <td>
        <Link to="/collections/$collection" params={{ collection: readable_id }}>
          <strong>
            <bdi>{name}</bdi>
          </strong>
        </Link>
        <FormFault of={reindex} title="The reindex has not begun" />
      </td>
      <td data-label="Result">
        <Result check={check} run={run} />
      </td>
      {(figures ?? FIGURES.map(() => null)).map((figure, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns have an order and nothing else.
        <td key={i} className="num" data-label={FIGURES[i]}>
          {figure === null ? '' : count(figure)}
        </td>
      ))}
      <td>
        <div className="acts-cell">
          <Button
            size="sm"
            busy={check?.isFetching && 'Checking …'}
            onClick={() => void queryClient.prefetchQuery(checkOf(readable_id))}
            aria-label={`Check ${name}`}
          >
            Check
          </Button>
          <Button
            size="sm"
            busy={reindex.isBusy && 'Starting …'}
            {...(run && { off: 'Something works on this collection already.' })}
            onClick={() => reindex.submit()}
            aria-label={`Reindex ${name}`}
          >
            Reindex
          </Button>
        </div>
      </td>
    </tr>
  );
}

const FIGURES = ['Records', 'Passages', 'With words', 'With vector', 'In memory'];

function Result({ check, run }: Pick<Parameters<typeof Row>[0], 'check' | 'run'>) {
  if (run) return <State tone="live">Being worked on</State>;
  if (check?.isFetching) return <State tone="live">Checking</State>;
  if (check?.error) return <span className="fault">{messageOf(check.error)}</span>;
  if (!check?.data) return <State tone="none">Not checked yet</State>;
  const found = check.data.problems.length;
  return found === 0 ? (
    <State tone="ok">Nothing is wrong</State>
  ) : (
    <State tone="warn">{counted(found, 'finding')}</State>
  );
}
