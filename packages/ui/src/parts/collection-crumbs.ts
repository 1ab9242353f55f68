/** The way from a page up to its collection. */
import { useQuery } from '@tanstack/react-query';
import { collectionQuery } from '../api/queries.ts';

export const COLLECTIONS = { label: 'Collections', to: '/collections' };

/** Returns the name of a collection, and its id until the name is known. It is not asked for again and again. */
export function useCollectionName(collection: string): string {
  return (
    useQuery({ ...collectionQuery(collection), refetchInterval: false }).data?.name ?? collection
  );
}

export const crumbOf = (collection: string, label: string) => ({
  label,
  to: `/collections/${encodeURIComponent(collection)}`,
});
