import { useQuery } from '@tanstack/react-query';
import { sourcesQuery } from './queries.ts';

/** Returns a function that gives the name of a source for people, such as Google Drive for google_drive. */
export function useSourceNames(): (shortName: string) => string {
  const { data } = useQuery(sourcesQuery);
  return (shortName) => data?.find((one) => one.short_name === shortName)?.name ?? shortName;
}
