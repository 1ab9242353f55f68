/** Proposes folders and shared drives for the configuration of a connection. */
import type { FieldOption } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { ALL_DRIVES, Files, FOLDER } from './answer.ts';
import { drivesOf } from './reader.ts';

/** A person who has not found the folder among these types more of its name. */
const PROPOSED = 100;

export async function folderOptions(http: Http, query: string): Promise<FieldOption[]> {
  const wanted = query.toLowerCase();
  const drives = (await drivesOf(http)).filter(({ name }) => name.toLowerCase().includes(wanted));
  const named = query === '' ? '' : ` and name contains '${quoted(query)}'`;
  const asked = {
    ...ALL_DRIVES,
    corpora: 'allDrives',
    q: `mimeType = '${FOLDER}' and trashed = false${named}`,
    pageSize: PROPOSED,
    fields: 'files(id,name,mimeType)',
  };
  const { value } = await http.json({ path: 'files', query: asked }, Files);
  return [
    ...drives.map(({ id, name }) => ({ value: id, title: name, description: 'Shared drive' })),
    ...value.files.map(({ id, name }) => ({ value: id, title: name })),
  ];
}

/** Quotes a text as queries of files.list want it (https://developers.google.com/workspace/drive/api/guides/ref-search-terms). */
const quoted = (text: string) => text.replaceAll(/[\\']/g, '\\$&');
