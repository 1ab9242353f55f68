/** This is the knowledge that a pull has of the workspace: which documents it copies, where they are, and who may see them. */
import { LRUCache } from 'lru-cache';
import { SourceError } from '../../errors.ts';
import type { Access, Breadcrumb } from '../../model/entity.ts';
import { openFolders } from '../kit/folders.ts';
import type { Http } from '../kit/http.ts';
import { ifReadable } from '../kit/listing.ts';
import { openAccess } from './access.ts';
import type { OutlineCollection, OutlineDocument } from './answer.ts';
import { authOf, collectionsOf, documentOf } from './api.ts';

/** So many documents are remembered, for their comments. Others are asked for again. */
const KEPT = 20_000;

export interface OutlineContext {
  readonly http: Http;
  readonly config: { readonly collections?: readonly string[] | undefined };
}

/** The records inside of a document share these properties with it. */
export interface OutlinePlace {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly collection: string | null;
  /** The collection and the documents above. */
  readonly breadcrumbs: readonly Breadcrumb[];
  readonly access: Access;
}

export type OutlineWorkspace = Awaited<ReturnType<typeof openWorkspace>>;

export async function openWorkspace({ http, config }: OutlineContext) {
  const { team } = await authOf(http);
  const chosen = config.collections && new Set(config.collections);
  const isChosen = (id: string | null | undefined) => !chosen || (!!id && chosen.has(id));
  const all = (await collectionsOf(http)).filter(({ id }) => isChosen(id));
  const collections = new Map(all.map((collection) => [collection.id, collection]));
  const access = openAccess(http);
  const folders = openFolders('OutlineDocument', async (id) => {
    const document = await ifReadable(() => documentOf(http, id), null);
    return document && folderOf(document);
  });
  const places = new LRUCache<string, { readonly place: OutlinePlace | null }>({ max: KEPT });

  const isCopied = (document: OutlineDocument): boolean =>
    isChosen(document.collectionId) &&
    !!document.publishedAt &&
    !document.archivedAt &&
    !document.deletedAt;

  async function placeOf(document: OutlineDocument): Promise<OutlinePlace> {
    const collection = collections.get(document.collectionId ?? '');
    const place = {
      id: document.id,
      title: titleOf(document),
      url: urlOf(document),
      collection: collection?.name ?? null,
      breadcrumbs: [
        ...(collection ? [crumbOf(collection)] : []),
        ...(await folders.above(document.parentDocumentId ?? undefined)),
      ],
      access: await access.ofDocument(document.id, collection),
    };
    places.set(document.id, { place });
    return place;
  }
  const urlOf = ({ url }: { readonly url: string }): string => new URL(url, team.url).href;

  return {
    collections,
    urlOf,
    accessOf: access.ofCollection,
    isCopied,
    placeOf,
    /** Remembers the title and the parent of a document, for the documents below it. */
    note: (document: OutlineDocument) => folders.note(document.id, folderOf(document)),
    /** Returns null for a document that is not copied. */
    async find(id: string): Promise<OutlinePlace | null> {
      const known = places.get(id);
      if (known) return known.place;
      const document = await ifReadable(() => documentOf(http, id), null);
      if (document && isCopied(document)) return placeOf(document);
      places.set(id, { place: null });
      return null;
    },
  };
}

const titleOf = ({ title }: Pick<OutlineDocument, 'title'>): string => title || 'Untitled';

const folderOf = (document: OutlineDocument) => ({
  name: titleOf(document),
  parent: document.parentDocumentId ?? undefined,
});

const crumbOf = ({ id, name }: OutlineCollection): Breadcrumb => ({
  id,
  name,
  type: 'OutlineCollection',
});

export async function checkCollections({ http, config }: OutlineContext): Promise<void> {
  const seen = new Set((await collectionsOf(http)).map(({ id }) => id));
  const unseen = (config.collections ?? []).filter((id) => !seen.has(id));
  if (unseen.length > 0)
    throw new SourceError(
      'config',
      `the account does not see the collections ${unseen.join(', ')}`,
    );
}
