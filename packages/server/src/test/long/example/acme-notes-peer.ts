/** Serves Acme notes on this machine: a few folders of notes, and a list of what has changed since a revision. */
import { digestOf } from '../../contracts/digest.ts';
import { openDigest } from '../../contracts/open-contract.ts';
import { type CloudCompany, newWord } from '../../sources/cloud-company.ts';
import {
  type CloudPeer,
  json,
  openCloudPeer,
  type PeerAnswer,
  type PeerRequest,
} from '../../sources/cloud-peer.ts';

const KEY = 'acme-notes-key-0123456789';
const SMALL_PAGE = 2;

interface Folder {
  readonly id: string;
  readonly name: string;
}

interface Note {
  readonly folder: Folder;
  readonly word: string;
  readonly revision: number;
  readonly is_deleted: boolean;
}

export async function openAcmeNotes(): Promise<CloudCompany> {
  const folders: Folder[] = ['plans', 'recipes', 'travel'].map((id) => ({ id, name: `The ${id}` }));
  const notes = new Map<string, Note>();
  let revision = 0;
  let oldest = 0;
  let made = 0;
  let perPage = SMALL_PAGE;
  let forbidden: string | undefined;

  const put = (id: string, note: Omit<Note, 'revision' | 'is_deleted'>) =>
    notes.set(id, { ...note, revision: ++revision, is_deleted: false });
  const add = (folder = folders[made % folders.length] as Folder) =>
    put(`note-${String(made++).padStart(3, '0')}`, { folder, word: newWord() });
  const living = () => [...notes].filter(([, { is_deleted }]) => !is_deleted);
  function erase(...ids: string[]): void {
    for (const id of ids) {
      const note = notes.get(id);
      if (note) notes.set(id, { ...note, revision: ++revision, is_deleted: true });
    }
  }
  for (let i = 0; i < 9; i++) add();

  function answer(request: PeerRequest): PeerAnswer {
    const { pathname, searchParams } = request.url;
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return json(401, { message: 'This key is not known.' });
    if (pathname === '/me') return json(200, { email: 'ann@example.com', revision });
    if (pathname === '/folders') return json(200, { folders });
    if (pathname === '/changes') {
      const since = Number(searchParams.get('since_revision'));
      if (since < oldest) return json(410, { message: 'This revision is too old.' });
      return page(searchParams, (note) => note.revision > since);
    }
    const [, folder] = /^\/folders\/([a-z]+)\/notes$/.exec(pathname) ?? [];
    if (folder === forbidden) return json(403, { message: 'You may not read this folder.' });
    return page(searchParams, (note) => note.folder.id === folder && !note.is_deleted);
  }

  function page(searchParams: URLSearchParams, isAsked: (note: Note) => boolean): PeerAnswer {
    const after = searchParams.get('after') ?? '';
    const left = [...notes].filter(([id, note]) => isAsked(note) && id > after).toSorted(byId);
    const shown = left.slice(0, perPage);
    const next = left.length > perPage ? shown.at(-1)?.[0] : null;
    return json(200, { notes: shown.map(noteOf), next });
  }

  // The connector must ask for nothing that the service does not have, and the fake must answer as the service does.
  const peer: CloudPeer = await openCloudPeer((request) =>
    contract.checked(request, answer(request)),
  );
  return {
    peer,
    config: {},
    credentials: { key: KEY },
    refusals: {
      unauthorized: json(401, { message: 'This key is not known.' }),
      rateLimited: [json(429, { message: 'Too many requests.' }, { 'retry-after': '3600' })],
      serverError: json(500, { message: 'Something went wrong.' }),
    },
    expected: () => new Map(living().map(([id, { word }]) => [id, word])),
    edit() {
      const [first] = living();
      if (first) put(first[0], { folder: first[1].folder, word: newWord() });
    },
    add: () => void add(),
    remove: () =>
      erase(
        ...living()
          .slice(0, 1)
          .map(([id]) => id),
      ),
    removeMany: () =>
      erase(
        ...living()
          .slice(0, 4)
          .map(([id]) => id),
      ),
    removePart() {
      const [gone] = folders.splice(1, 1);
      erase(...living().flatMap(([id, { folder }]) => (folder.id === gone?.id ? [id] : [])));
    },
    resync: {
      widen() {
        perPage = 100;
      },
      grow() {
        for (const folder of folders) add(folder);
      },
    },
    forbidPart: () => {
      forbidden = 'travel';
    },
    forgetCursors: () => {
      oldest = revision;
    },
  };
}

const byId = ([a]: [string, Note], [b]: [string, Note]) => (a < b ? -1 : 1);

const noteOf = ([id, { folder, word, revision, is_deleted }]: [string, Note]) => ({
  id,
  folder,
  title: `Note ${id}`,
  text: `This note speaks of ${word}.`,
  author: 'ann@example.com',
  url: `https://acme-notes.example/notes/${id}`,
  updated_at: new Date(Date.UTC(2026, 0, 1) + revision * 1000).toISOString(),
  is_deleted,
});

const parameter = (name: string, place: string, type: string) => ({
  name,
  in: place,
  required: place === 'path',
  schema: { type },
});
const objectOf = (properties: object) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const get = (parameters: readonly object[], schema: object) => ({
  get: {
    parameters,
    responses: {
      200: { content: { 'application/json': { schema } } },
      '4XX': { content: { 'application/json': { schema: objectOf({ message: STRING }) } } },
    },
  },
});
const STRING = { type: 'string' };
const FOLDER = objectOf({ id: STRING, name: STRING });
const NOTE = objectOf({
  id: STRING,
  folder: FOLDER,
  title: STRING,
  text: STRING,
  author: STRING,
  url: { type: 'string', format: 'uri' },
  updated_at: { type: 'string', format: 'date-time' },
  is_deleted: { type: 'boolean' },
});
const PAGE = objectOf({
  notes: { type: 'array', items: NOTE },
  next: { type: 'string', nullable: true },
});
const AFTER = parameter('after', 'query', 'string');
/**
 * Acme notes does not exist, so its document stands here. The document of a real service stays outside of the project:
 * describe it in test/contracts/vendors/, and take `openContract('<name>')` instead (docs/connectors.md).
 */
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Acme notes', version: '1' },
  paths: {
    '/me': get([], objectOf({ email: STRING, revision: { type: 'integer' } })),
    '/folders': get([], objectOf({ folders: { type: 'array', items: FOLDER } })),
    '/folders/{id}/notes': get([parameter('id', 'path', 'string'), AFTER], PAGE),
    '/changes': get([parameter('since_revision', 'query', 'integer'), AFTER], PAGE),
  },
};
const contract = openDigest(
  digestOf(
    {
      title: 'Acme notes',
      origin: { address: 'https://acme-notes.example', date: '2026-01-01', license: '', file: '' },
      operations: Object.keys(DOCUMENT.paths).map((path) => `GET ${path}`),
    },
    JSON.stringify(DOCUMENT),
  ),
);
