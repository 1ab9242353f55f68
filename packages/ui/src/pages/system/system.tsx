import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { bytes, count, counted } from 'quarry-text/numbers';
import { duration } from 'quarry-text/time';
import type { Schemas } from '../../api/client.ts';
import { meQuery, OFTEN_MS, systemQuery } from '../../api/queries.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/code.tsx';
import { OnlyAdmins } from '../../ui/only-admins.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { State } from '../../ui/state.tsx';
import { toast } from '../../ui/toast.tsx';
import { Doctor } from './doctor.tsx';
import '../../styles/system.css';

type SystemState = Schemas['SystemState'];

/** The state of the service: version, database, index, models, memory, and the doctor. */
export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  const system = useQuery({ ...systemQuery(me.role), refetchInterval: OFTEN_MS });
  const { data } = system;
  return (
    <Frame
      title="System"
      sub={data && <About system={data} />}
      actions={data && <CopyForReport system={data} />}
    >
      {me.role !== 'admin' ? (
        <OnlyAdmins />
      ) : (
        <Part query={system} what="The state of the service">
          {(state) => <Parts state={state} />}
        </Part>
      )}
    </Frame>
  );
}

const About = ({ system }: { readonly system: SystemState }) => (
  <>
    <State tone={system.not_ready.length > 0 ? 'bad' : 'ok'}>
      Running for {duration(system.uptime_seconds * 1000)}
    </State>
    <span>Quarry {system.version}</span>
    <span>Node.js {system.node_version}</span>
    <span>{rolesOf(system.roles)}</span>
  </>
);

const rolesOf = (roles: readonly string[]): string =>
  roles.length === 2 ? 'serves and syncs' : roles.includes('api') ? 'serves' : 'syncs';

const CopyForReport = ({ system }: { readonly system: SystemState }) => (
  <Button
    onClick={({ currentTarget }) =>
      void copyText(JSON.stringify(system, null, 2), currentTarget).then(
        (isCopied) => isCopied && toast('Copied'),
      )
    }
  >
    <Copy size={15} aria-hidden="true" />
    Copy for a bug report
  </Button>
);

function Parts({ state }: { readonly state: SystemState }) {
  const { not_ready, index } = state;
  return (
    <>
      {not_ready.length > 0 && (
        <Banner tone="bad" title="Quarry cannot serve everything now">
          {not_ready.join(', ')}. Syncs wait, and go on by themselves.
        </Banner>
      )}
      {index.without_vectors.map(({ collection_readable_id, records }) => (
        <Banner
          key={collection_readable_id}
          tone="warn"
          title={`${counted(records, 'record')} cannot be found by meaning`}
          actions={
            <Link
              className="btn"
              to="/collections/$collection"
              params={{ collection: collection_readable_id }}
            >
              Open the collection
            </Link>
          }
        >
          The embedder has changed, so searches of {collection_readable_id} compare only words.
          Reindex it below.
        </Banner>
      ))}
      {index.to_extract.length > 0 && (
        <Banner tone="info" title="Documents are read again by the next full sync">
          A newer version of Quarry reads more of{' '}
          {index.to_extract
            .map(({ kind, records }) => `${counted(records, 'document')} of the kind ${kind}`)
            .join(', ')}
          . Until then, searches find what was read before.
        </Banner>
      )}
      <Figures state={state} />
      <Doctor runs={state.jobs.maintenance} />
      <div className="cols two">
        <Models models={state.models} />
        <Memory memory={state.memory} />
      </div>
      <Database state={state} />
    </>
  );
}

const WORD_INDEXES = {
  memory: 'lists in memory',
  pg_textsearch: 'pg_textsearch',
};
const databaseOf = ({ kind, version }: SystemState['database']): string =>
  `${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${version.split(' ')[0]}`;

function Figures({ state: { database, index, memory, jobs } }: { readonly state: SystemState }) {
  const [size = '', unit = ''] = bytes(database.size_bytes).split(' ');
  const [rss = '', rssUnit = ''] = bytes(memory.rss_bytes).split(' ');
  return (
    <ul className="stats card">
      <Figure label="Database" value={size} unit={unit}>
        {databaseOf(database)}
      </Figure>
      <Figure label="Records" value={count(index.records)}>
        of this organization
      </Figure>
      <Figure label="Index" value={count(index.passages)}>
        passages that searches find
      </Figure>
      <Figure label="Memory" value={rss} unit={rssUnit}>
        of {bytes(memory.limit_bytes)}
      </Figure>
      <Figure label="Waiting syncs" value={count(jobs.syncs_waiting)}>
        <Link className="link" to="/jobs" search={{ state: 'in_progress' }}>
          {count(jobs.syncs_running)} running now
        </Link>
      </Figure>
    </ul>
  );
}

const Figure = ({
  label,
  value,
  unit,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly unit?: string;
  readonly children: React.ReactNode;
}) => (
  <li>
    <span className="small muted">{label}</span>
    <span>
      <strong>{value}</strong> {unit && <span className="soft">{unit}</span>}
    </span>
    <span className="small soft">{children}</span>
  </li>
);

const BuiltIn = ({ is }: { readonly is: boolean }) => is && <span className="tag">built in</span>;

function Models({ models }: { readonly models: SystemState['models'] }) {
  const { embedder, reranker, language_models } = models;
  return (
    <Card title="Models in use">
      <table>
        <tbody>
          <tr>
            <th scope="row">Meaning</th>
            <td>
              <code>{embedder.model}</code>
            </td>
            <td className="num">
              <BuiltIn is={embedder.is_built_in} />
            </td>
          </tr>
          <tr>
            <th scope="row">Order</th>
            <td>
              {reranker.is_built_in ? (
                'weighed features of each passage'
              ) : (
                <code>{reranker.model}</code>
              )}
            </td>
            <td className="num">
              <BuiltIn is={reranker.is_built_in} />
            </td>
          </tr>
          <tr>
            <th scope="row">Answers</th>
            <td>
              {language_models.length === 0
                ? 'quoted from the results'
                : language_models.map((model) => (
                    <div key={model}>
                      <code>{model}</code>
                    </div>
                  ))}
            </td>
            <td className="num">
              <BuiltIn is={language_models.length === 0} />
            </td>
          </tr>
        </tbody>
      </table>
      {language_models.length === 0 && (
        <p className="pad small soft">
          No language model is set up, so Quarry quotes sentences. Set <code>QUARRY_LLM</code> to
          change that.
        </p>
      )}
    </Card>
  );
}

const Memory = ({ memory }: { readonly memory: SystemState['memory'] }) => (
  <Card title="Memory" note="of the process that has answered">
    <dl className="pairs pad">
      <dt>Taken</dt>
      <dd>
        {bytes(memory.rss_bytes)} of {bytes(memory.limit_bytes)}
      </dd>
      <dt>For vectors and words</dt>
      <dd>
        at most {bytes(memory.index_budget_bytes)} in each search thread (
        <code>QUARRY_INDEX_MEMORY_MB</code>)
      </dd>
      <dt>Search threads</dt>
      <dd>at most {count(memory.max_search_threads)}</dd>
    </dl>
  </Card>
);

const Database = ({ state: { database, index } }: { readonly state: SystemState }) => (
  <Card title="Database and index">
    <dl className="pairs pad">
      <dt>Database</dt>
      <dd>
        {databaseOf(database)}, {bytes(database.size_bytes)} with all organizations
      </dd>
      <dt>Newest change</dt>
      <dd>
        <code>{database.newest_migration}</code>
      </dd>
      <dt>Words</dt>
      <dd>{WORD_INDEXES[index.words]}</dd>
      <dt>Meaning</dt>
      <dd>{index.vectors === 'scan' ? 'compared one by one, in memory' : 'pgvector'}</dd>
      <dt>Waits</dt>
      <dd>nothing: a change and its index are stored together, so that searches find it at once</dd>
    </dl>
  </Card>
);
