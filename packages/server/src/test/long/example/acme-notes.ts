/** This source reads the notes of Acme notes, folder by folder. */
import { z } from 'zod';
import { SourceError } from '../../../errors.ts';
import type { Entity } from '../../../model/entity.ts';
import { secret } from '../../../sources/define.ts';
import { bookmark, checkpoint, remove, type SourceItem, upsert } from '../../../sources/items.ts';
import { cloudSource } from '../../../sources/kit/cloud-source.ts';
import type { Http } from '../../../sources/kit/http.ts';
import { pages, part } from '../../../sources/kit/listing.ts';
import { bearer } from '../../../sources/kit/sign.ts';

/** The account has the number of the latest change in the service, from which the next pull may go on. */
const AcmeNotesAccount = z.object({ email: z.string(), revision: z.int() });
const Folder = z.object({ id: z.string(), name: z.string() });
const Note = z.object({
  id: z.string(),
  folder: Folder,
  title: z.string(),
  text: z.string(),
  author: z.string(),
  url: z.url(),
  updated_at: z.iso.datetime(),
  is_deleted: z.boolean(),
});
const Folders = z.object({ folders: z.array(Folder) });
const Notes = z.object({ notes: z.array(Note), next: z.string().nullable() });

/** An interrupted full pull goes on here. */
const Position = z.object({ revision: z.int(), done: z.array(z.string()) });

export const acmeNotes = cloudSource({
  shortName: 'acme_notes',
  name: 'Acme notes',
  description: 'Notes in folders.',
  labels: ['Notes'],
  auth: {
    direct: {
      fields: z.object({ key: secret('Key', 'A key that may read.') }),
      sign: { headers: ({ key }) => bearer(key) },
    },
  },
  api: {
    baseUrl: 'https://api.acme-notes.example/v1',
    refusal({ status }) {
      if (status !== 410) return undefined;
      return new SourceError('outdated', 'Acme notes no longer knows the last revision');
    },
  },
  config: z.strictObject({
    folders: z.array(z.string()).default([]).meta({
      title: 'Folders',
      description: 'Ids of the folders to copy. Without any, all folders are copied.',
      options: true,
    }),
  }),
  cursor: z.object({ revision: z.int() }),
  deletions: 'told',
  entities: {
    AcmeNotesNote: z.object({
      author: z.string().meta({ title: 'Author', description: 'E-mail address of the author.' }),
    }),
  },
  evidence: [{ class: 'E', by: 'the pages of Acme notes', asOf: '2026-11-26' }],
  rateLimitLevel: 'connection',

  async account({ http }) {
    return (await accountOf(http)).email;
  },

  async *pull({ http, config, cursor, bookmark: place }) {
    const { revision, done } = place
      ? Position.parse(place)
      : { revision: (await accountOf(http)).revision, done: [] };
    const isChosen = (id: string) => config.folders.length === 0 || config.folders.includes(id);
    if (cursor) {
      for await (const note of notesOf(http, 'changes', { since_revision: cursor.revision }))
        if (isChosen(note.folder.id)) yield toItem(note);
    } else
      for (const { id } of await foldersOf(http)) {
        if (!isChosen(id) || done.includes(id)) continue;
        yield* part(id, itemsOf(http, id));
        done.push(id);
        yield bookmark({ revision, done });
      }
    yield checkpoint({ revision });
  },

  async options({ http }) {
    return (await foldersOf(http)).map(({ id, name }) => ({ value: id, title: name }));
  },
});

const accountOf = async (http: Http) => (await http.json({ path: 'me' }, AcmeNotesAccount)).value;

const foldersOf = async (http: Http) =>
  (await http.json({ path: 'folders' }, Folders)).value.folders;

async function* itemsOf(http: Http, folder: string): AsyncGenerator<SourceItem> {
  for await (const note of notesOf(http, `folders/${folder}/notes`)) yield toItem(note);
}

async function* notesOf(http: Http, path: string, query: { since_revision?: number } = {}) {
  const listing = pages<z.infer<typeof Note>[], string>(null, async (after) => {
    const { value } = await http.json(
      { path, query: { ...query, after: after ?? undefined } },
      Notes,
    );
    return { page: value.notes, next: value.next };
  });
  for await (const { page } of listing) yield* page;
}

const toItem = (note: z.infer<typeof Note>): SourceItem =>
  note.is_deleted ? remove(note.id) : upsert(toEntity(note), { partition: note.folder.id });

const toEntity = ({ id, folder, title, text, author, url, updated_at }: z.infer<typeof Note>) =>
  ({
    id,
    type: 'AcmeNotesNote',
    name: title,
    text,
    url,
    breadcrumbs: [{ id: folder.id, name: folder.name, type: 'AcmeNotesFolder' }],
    updatedAt: new Date(updated_at),
    fields: { author },
  }) satisfies Entity;
