/** Proposes folders and shared drives for the configuration of a connection. */
import type { FieldOption, OptionsRequest } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { ALL_DRIVES, Files, FOLDER } from './answer.ts';
import { drivesOf } from './reader.ts';

/** Google lists at most this many files on a page. */
const LARGEST_PAGE = 1000;

export async function folderOptions(
  http: Http,
  { query, limit }: OptionsRequest,
): Promise<FieldOption[]> {
  const drives = await drivesOf(http);
  const named = query === '' ? '' : ` and name contains '${quoted(query)}'`;
  const asked = {
    ...ALL_DRIVES,
    corpora: 'allDrives',
    q: `mimeType = '${FOLDER}' and trashed = false${named}`,
    pageSize: Math.min(limit, LARGEST_PAGE),
    fields: 'kind,files(id,name,mimeType)',
  };
  const { value } = await http.json({ path: 'drive/v3/files', query: asked }, Files);
  return [
    ...drives.map(({ id, name }) => ({ value: id, title: name, description: 'Shared drive' })),
    ...value.files.map(({ id, name }) => ({ value: id, title: name })),
  ];
}

/**
 * Escapes a text for a query of files.list (https://developers.google.com/workspace/drive/api/guides/ref-search-terms).
 */
const quoted = (text: string) => text.replaceAll(/[\\']/g, '\\$&');
