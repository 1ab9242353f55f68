import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Database, Folder, LayoutGrid } from 'lucide-react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { sourceQuery, sourcesQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { KINDS, type Kind, kindOf } from '../../lib/source-kinds.ts';
import { ConnectForm } from '../../parts/connect/connect-form.tsx';
import { Part } from '../../ui/part.tsx';

const LOOKS = {
  folder: { icon: Folder, label: 'A folder', about: 'on this machine' },
  database: { icon: Database, label: 'A database', about: 'tables and queries' },
  app: { icon: LayoutGrid, label: 'An app', about: 'Notion, GitHub, Slack …' },
} as const;

/** Asks what Quarry reads first, and connects it. */
export function SourceForm() {
  const { kind, source } = useSearch({ from: '/bare/welcome' });
  const chosen = KINDS.find((one) => one === kind);
  const shortName = chosen === 'folder' ? 'files' : source;
  return (
    <div className="tight">
      <nav className="kinds" aria-label="What Quarry reads first">
        {KINDS.map((one) => (
          <KindLink key={one} kind={one} isChosen={one === chosen} />
        ))}
      </nav>
      {chosen && chosen !== 'folder' && <Sources kind={chosen} chosen={source} />}
      {chosen && shortName && <Chosen key={shortName} shortName={shortName} />}
    </div>
  );
}

function KindLink({ kind, isChosen }: { readonly kind: Kind; readonly isChosen: boolean }) {
  const { icon: Icon, label, about } = LOOKS[kind];
  return (
    <Link
      from="/welcome"
      to="."
      search={(old) => ({ ...old, kind, source: undefined })}
      aria-current={isChosen ? 'true' : undefined}
      resetScroll={false}
    >
      <Icon size={18} aria-hidden="true" />
      <span>
        <strong>{label}</strong>
        <br />
        <span className="muted small">{about}</span>
      </span>
    </Link>
  );
}

function Sources({ kind, chosen }: { readonly kind: Kind; readonly chosen: string | undefined }) {
  const sources = useQuery(sourcesQuery);
  return (
    <Part query={sources} what="The sources">
      {(all) => (
        <nav className="row wrap" aria-label="Sources">
          {all
            .filter((one) => kindOf(one) === kind)
            .map((one) => (
              <Link
                key={one.short_name}
                from="/welcome"
                to="."
                search={(old) => ({ ...old, source: one.short_name })}
                className={one.short_name === chosen ? 'tag choice accent' : 'tag choice'}
                aria-current={one.short_name === chosen ? 'true' : undefined}
                resetScroll={false}
              >
                {one.name}
              </Link>
            ))}
        </nav>
      )}
    </Part>
  );
}

function Chosen({ shortName }: { readonly shortName: string }) {
  const source = useQuery(sourceQuery(shortName));
  const { c } = useSearch({ from: '/bare/welcome' });
  const navigate = useNavigate({ from: '/welcome' });
  async function makeCollection(name: string): Promise<string> {
    if (c !== undefined) return c;
    return (await bodyOf(client.POST('/v1/collections', { body: { name } }))).readable_id;
  }
  /** Without a source the collection has nothing, and another attempt may want another name. */
  async function removeCollection(readable_id: string): Promise<void> {
    if (c !== undefined) return;
    const params = { path: { readable_id } };
    await bodyOf(client.DELETE('/v1/collections/{readable_id}', { params }));
  }
  return (
    <Part query={source} what="The source">
      {(one: Schemas['SourceType']) => (
        <ConnectForm
          source={one}
          isShort
          collection={makeCollection}
          onRefused={removeCollection}
          back={(made) => `/welcome?c=${encodeURIComponent(made)}`}
          onConnected={async (made) => {
            await queryClient.invalidateQueries({ queryKey: ['collections'] });
            await navigate({ search: { c: made }, resetScroll: false });
          }}
        />
      )}
    </Part>
  );
}
