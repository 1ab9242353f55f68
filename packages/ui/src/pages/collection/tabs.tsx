import { Link } from '@tanstack/react-router';

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
