/** Proposes folders for the configuration of a connection. */
import type { FieldOption } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { personOf } from '../microsoft/entra.ts';
import { chooseFolders, WELL_KNOWN } from './folders.ts';
import { listFolders } from './mailboxes.ts';

/** The folders of an organization have only the well-known names in common. */
export async function folderOptions(http: Http): Promise<FieldOption[]> {
  const me = await personOf(http);
  const folders = me?.id === undefined ? [] : await listFolders(http, me.id);
  const all = chooseFolders(folders, { included: [], excluded: [] }, () => undefined);
  return [
    ...WELL_KNOWN.map((name) => ({ value: name, title: name, description: 'Well-known name' })),
    ...all.map(({ path }) => ({ value: path, title: path })),
  ];
}
