import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { collectionQuery } from '../../api/queries.ts';

/** The pages of a collection. */
export function CollectionTabs({ collection }: { readonly collection: string }) {
  const params = { collection };
  return (
    <nav className="tabs" aria-label="Collection">
      <Link to="/collections/$collection" params={params} activeOptions={{ exact: true }}>
        Overview
      </Link>
      <Link to="/search" search={{ c: collection }}>
        Search
      </Link>
      <Link
        to="/collections/$collection/contents"
        params={params}
        activeOptions={{ includeSearch: false }}
      >
        Contents
      </Link>
      <Link to="/collections/$collection/settings" params={params}>
        Settings
      </Link>
    </nav>
  );
}

export const COLLECTIONS = { label: 'Collections', to: '/collections' };

/** Returns the name of a collection, and its id until the name is known. */
export function useCollectionName(collection: string): string {
  return (
    useQuery({ ...collectionQuery(collection), refetchInterval: false }).data?.name ?? collection
  );
}

export const crumbOf = (collection: string, label: string) => ({
  label,
  to: `/collections/${encodeURIComponent(collection)}`,
});
