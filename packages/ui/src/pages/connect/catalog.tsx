import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { sourcesQuery } from '../../api/queries.ts';
import { IN_PLACE } from '../../lib/in-place.ts';
import { COLLECTIONS, crumbOf, useCollectionName } from '../../parts/collection-crumbs.ts';
import { FilterField } from '../../ui/filter-field.tsx';
import { Empty, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { SourceTile } from '../../ui/source-tile.tsx';

/** All sources, to choose one. */
export function Page() {
  const { collection } = useParams({ from: '/shell/collections/$collection/connect' });
  const { find = '', label } = useSearch({ from: '/shell/collections/$collection/connect' });
  const navigate = useNavigate({ from: '/collections/$collection/connect' });
  const name = useCollectionName(collection);
  const sources = useQuery(sourcesQuery);
  const words = find.toLowerCase().split(/\s+/);
  return (
    <Frame
      title="Connect a source"
      above={[COLLECTIONS, crumbOf(collection, name)]}
      sub="Quarry copies what the source has, and keeps the copy true."
    >
      <FilterField
        label="Find a source"
        value={find}
        onValue={(value) =>
          void navigate({
            search: (old) => ({ ...old, find: value || undefined }),
            ...IN_PLACE,
          })
        }
      />
      <Part query={sources} what="The sources">
        {(all) => {
          const labels = [...new Set(all.flatMap((one) => one.labels))].sort();
          const shown = all.filter(
            (one) =>
              (!label || one.labels.includes(label)) &&
              words.every((word) =>
                [one.name, one.short_name, one.description, ...one.labels].some((text) =>
                  text.toLowerCase().includes(word),
                ),
              ),
          );
          return (
            <>
              <nav className="row wrap" aria-label="Kinds of sources">
                {[undefined, ...labels].map((one) => (
                  <Link
                    key={one ?? ''}
                    from="/collections/$collection/connect"
                    search={(old) => ({ ...old, label: one })}
                    className={one === label ? 'tag accent' : 'tag'}
                    aria-current={one === label ? 'true' : undefined}
                    {...IN_PLACE}
                  >
                    {one ?? 'All'}
                  </Link>
                ))}
              </nav>
              {shown.length === 0 ? (
                <Empty
                  action={
                    <Link
                      from="/collections/$collection/connect"
                      search={{}}
                      className="link"
                      {...IN_PLACE}
                    >
                      Show all sources
                    </Link>
                  }
                >
                  No source matches. Anything else can be pushed: choose Push, or write a connector.
                </Empty>
              ) : (
                <ul className="catalog">
                  {shown.map((one) => (
                    <li key={one.short_name}>
                      <Link
                        to="/collections/$collection/connect/$source"
                        params={{ collection, source: one.short_name }}
                      >
                        <SourceTile shortName={one.short_name} name={one.name} />
                        <span>
                          <strong>{one.name}</strong>
                          <br />
                          <span className="muted small">{one.description}</span>
                        </span>
                      </Link>
                    </li>
                  ))}
                </ul>
              )}
            </>
          );
        }}
      </Part>
    </Frame>
  );
}
