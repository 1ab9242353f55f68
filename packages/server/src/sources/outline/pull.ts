/**
 * Lists a workspace of Outline, or what has changed in it.
 *
 * A full pull lists all documents at once and in the order of creation, so that a document that moves to another
 * collection meanwhile is neither lost nor met twice.
 *
 * An incremental pull reads each list from its newest change down to the cursor. What the lists do not show is told by
 * no time: who may see a document, and the titles above it. So the cursor remembers what everybody may see of each
 * collection, and the documents of a collection come again when this has changed.
 */
import { z } from 'zod';
import { bookmark, checkpoint, listed, remove, type SourceItem } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { ahead, ifReadable, part, unlessLost } from '../kit/listing.ts';
import { NumberedPlace } from '../kit/numbered.ts';
import {
  ARCHIVED,
  COMMENTS,
  DELETED,
  DOCUMENTS,
  type OutlineCollection,
  type OutlineDocument,
} from './answer.ts';
import { CONCURRENCY, changedSince, listOf, newestIn } from './api.ts';
import * as records from './records.ts';
import {
  type OutlineContext,
  type OutlinePlace,
  type OutlineWorkspace,
  openWorkspace,
} from './workspace.ts';

export const OutlineCursor = z.strictObject({
  /** The times of the newest changes. A time is empty when the list was. */
  documents: z.string(),
  comments: z.string(),
  /** Maps the ids of collections to digests of what everybody may see of them. */
  collections: z.record(z.string(), z.string()),
});
type OutlineCursor = z.output<typeof OutlineCursor>;

/** The pull goes on in this part, and ends with the cursor. */
const OutlinePosition = z.object({
  part: z.enum(['documents', 'comments']),
  at: NumberedPlace.nullable(),
  cursor: OutlineCursor,
});
type OutlinePosition = z.output<typeof OutlinePosition>;

type OutlineItems = AsyncGenerator<SourceItem, void, void>;
interface OutlinePull extends OutlineContext {
  readonly cursor: OutlineCursor | null;
  readonly bookmark: unknown;
}

export async function* pull(asked: OutlinePull): OutlineItems {
  const { http, cursor } = asked;
  const place = OutlinePosition.nullable().parse(asked.bookmark);
  // The next pull finds everything that changes from here on.
  const documents = place ? '' : await newestIn(http, DOCUMENTS);
  const comments = place ? '' : await ifReadable(() => newestIn(http, COMMENTS), '');
  const workspace = await openWorkspace(asked);
  const next = place?.cursor ?? {
    documents: later(documents, cursor?.documents),
    comments: later(comments, cursor?.comments),
    collections: Object.fromEntries(
      [...workspace.collections.values()].map((one) => [one.id, markOf(one)]),
    ),
  };
  const scene = { ...asked, workspace, done: new Set<string>() };
  if (cursor) yield* changes(scene, cursor);
  else yield* everything(scene, place ?? { part: 'documents', at: null, cursor: next });
  yield checkpoint(next);
}

const later = (one: string, other = ''): string => (one > other ? one : other);

const markOf = ({ name, description, url, permission }: OutlineCollection): string =>
  records.digestOf([name, description, url, permission ?? null]);

interface Scene extends OutlineContext {
  readonly workspace: OutlineWorkspace;
  /** In a full pull, documents with comments; in an incremental one, those whose comments are listed again. */
  readonly done: Set<string>;
}

async function* everything(scene: Scene, place: OutlinePosition): OutlineItems {
  const { http, workspace, done } = scene;
  const { cursor } = place;
  const from = (name: OutlinePosition['part']) => (place.part === name ? place.at : null);
  for (const collection of workspace.collections.values())
    yield await collectionItem(workspace, collection);
  yield listed(records.COLLECTIONS);

  if (place.part === 'documents') {
    const list = listOf(http, DOCUMENTS, { from: from('documents') });
    for await (const { items, place: at } of list) {
      for await (const { document, found } of placed(workspace, items)) {
        if (!found) continue;
        yield records.ofDocument(document, found);
        yield* records.filesOf(document, found);
        yield listed(records.filesIn(document.id));
      }
      yield bookmark({ part: 'documents', at, cursor } satisfies OutlinePosition);
    }
  }
  yield listed(records.DOCUMENTS);

  if (yield* unlessLost(records.COMMENTS, allComments(scene, { from: from('comments'), cursor })))
    for (const document of done) yield listed(records.commentsOn(document));
}

async function* allComments(
  { http, workspace, done }: Scene,
  { from, cursor }: { readonly from: NumberedPlace | null; readonly cursor: OutlineCursor },
): OutlineItems {
  for await (const { items, place } of listOf(http, COMMENTS, { from })) {
    for (const comment of items) {
      const found = await workspace.find(comment.documentId);
      if (!found) continue;
      done.add(found.id);
      yield records.ofComment(comment, found);
    }
    yield bookmark({ part: 'comments', at: place, cursor } satisfies OutlinePosition);
  }
}

async function* changes(scene: Scene, cursor: OutlineCursor): OutlineItems {
  const { http, workspace } = scene;
  for (const collection of workspace.collections.values()) {
    if (cursor.collections[collection.id] === markOf(collection)) continue;
    yield await collectionItem(workspace, collection);
    const inIt = { collectionId: collection.id };
    for await (const { items } of listOf(http, DOCUMENTS, inIt)) yield* changed(scene, items);
  }
  for await (const document of changedSince(http, DOCUMENTS, cursor.documents))
    yield* changed(scene, [document]);
  // Viewers may not ask for these lists. A full pull finds what is gone in any case.
  for (const list of [ARCHIVED, DELETED])
    for (const id of await ifReadable(() => goneSince(http, list, cursor.documents), []))
      yield* gone(id);
  yield* unlessLost(records.COMMENTS, changedComments(scene, cursor.comments));
}

async function* changed({ http, workspace, done }: Scene, documents: readonly OutlineDocument[]) {
  const fresh = documents.filter(({ id }) => !done.has(id));
  for await (const { document, found } of placed(workspace, fresh)) {
    done.add(document.id);
    if (!found) yield* gone(document.id);
    else {
      yield records.ofDocument(document, found);
      yield* records.filesOf(document, found);
      yield listed(records.filesIn(document.id));
      yield* part(records.commentsOn(document.id), commentsOf(http, found));
    }
  }
}

/** A new comment does not change its document. All comments of the document are listed, so that a deleted one is found. */
async function* changedComments({ http, workspace, done }: Scene, since: string): OutlineItems {
  for await (const { documentId } of changedSince(http, COMMENTS, since)) {
    if (done.has(documentId)) continue;
    done.add(documentId);
    const found = await workspace.find(documentId);
    if (found) yield* part(records.commentsOn(documentId), commentsOf(http, found));
  }
}

async function* commentsOf(http: Http, place: OutlinePlace): OutlineItems {
  const list = listOf(http, COMMENTS, { documentId: place.id });
  for await (const { items } of list)
    for (const comment of items) yield records.ofComment(comment, place);
}

/** Yields the documents in their order, each with its place, or with null when it is not copied. */
async function* placed(workspace: OutlineWorkspace, documents: readonly OutlineDocument[]) {
  for (const document of documents) workspace.note(document);
  yield* ahead(documents, CONCURRENCY, async (document) => ({
    document,
    found: workspace.isCopied(document) ? await workspace.placeOf(document) : null,
  }));
}

async function collectionItem(workspace: OutlineWorkspace, collection: OutlineCollection) {
  const access = await workspace.accessOf(collection);
  return records.ofCollection(collection, { url: workspace.urlOf(collection), access });
}

async function goneSince(http: Http, list: typeof DELETED, since: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of changedSince(http, list, since)) ids.push(id);
  return ids;
}

/** The document is gone, with everything inside of it. */
function* gone(document: string): Generator<SourceItem> {
  yield remove(document);
  yield listed(records.filesIn(document));
  yield listed(records.commentsOn(document));
}
