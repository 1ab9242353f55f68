/** A workspace of Outline, as the fake keeps it: who and what is in it, and when it has changed. */
import { newWord } from './cloud-company.ts';

type Row = Record<string, any> & { readonly id: string };

let made = 0;
/** Outline's ids are UUIDs. */
const uuid = (): string => `6f9619ff-8b86-4011-b42d-${String(++made).padStart(12, '0')}`;

export type OutlineWorld = ReturnType<typeof openOutlineWorld>;

export function openOutlineWorld() {
  let clock = Date.parse('2026-03-01T08:00:00Z');
  const now = () => {
    clock += 1000;
    return new Date(clock).toISOString();
  };
  const row = <More extends object>(more: More) => {
    const at = now();
    return { id: uuid(), createdAt: at, updatedAt: at, ...more } as Row & More;
  };
  const person = (name: string, role: string, more: object = {}) =>
    row({ name, role, email: `${name}@Acme.test`, isSuspended: false, ...more });

  const ann = person('Ann', 'admin');
  const bob = person('Bob', 'member');
  const gil = person('Gil', 'guest');
  const sue = person('Sue', 'member', { isSuspended: true });
  const vic = person('Vic', 'viewer');
  const crew = row({ name: 'Crew', users: [bob, sue] as Row[] });
  const world = {
    team: { id: uuid(), name: 'Acme', url: 'https://acme.getoutline.example' },
    users: [ann, bob, gil, sue, vic] as Row[],
    groups: [crew] as Row[],
    collections: [] as Row[],
    documents: [] as Row[],
    comments: [] as Row[],
    /** Members of collections and documents: people and groups. */
    memberships: [] as Row[],
    attachments: new Map<string, string>(),
    people: { ann, bob, gil, sue, vic, crew },
  };
  /** Maps each record that has a text of its own to its word. */
  const words = new Map<string, string>();
  const say = (id: string): string => {
    words.set(id, newWord());
    return `It is about ${words.get(id)}.`;
  };
  const touch = (record: Row): void => void Object.assign(record, { updatedAt: now() });

  function addCollection(name: string, permission: string | null): Row {
    const collection = row({ name, permission });
    Object.assign(collection, { url: `/collection/${name}`, description: say(collection.id) });
    world.collections.push(collection);
    return collection;
  }
  /** Somebody becomes a member of a collection or a document. */
  function join(what: Row, who: Row): void {
    const place = world.collections.includes(what) ? 'collectionId' : 'documentId';
    const member = world.groups.includes(who) ? 'groupId' : 'userId';
    const membership = { id: uuid(), [place]: what.id, [member]: who.id, permission: 'read' };
    world.memberships.push(membership);
  }
  function addDocument(collection: Row, more: object = {}): Row {
    const document = row({
      collectionId: collection.id,
      parentDocumentId: null,
      title: `Page ${made}`,
      publishedAt: now(),
      archivedAt: null,
      deletedAt: null,
      createdBy: bob,
      updatedBy: ann,
      files: [] as string[],
      ...more,
    });
    world.documents.push(document);
    write(document);
    return document;
  }
  /** Gives the document, the comment or the collection a new text and a new word. */
  function write(record: Row): void {
    const said = say(record.id);
    if (world.collections.includes(record)) record.description = said;
    else if (world.documents.includes(record)) record.said = said;
    else
      record.data = {
        type: 'doc',
        content: [{ type: 'paragraph', content: [{ type: 'text', text: said }] }],
      };
    touch(record);
  }
  /** A new comment does not change its document. */
  function addComment(document: Row, more: object = {}): Row {
    const comment = row({
      documentId: document.id,
      createdBy: ann,
      resolvedAt: null,
      data: {} as object,
      ...more,
    });
    world.comments.push(comment);
    write(comment);
    return comment;
  }
  /** The name of the file has a character that Markdown escapes. */
  function attach(document: Row): string {
    const id = uuid();
    world.attachments.set(id, say(id));
    document.files.push(id);
    touch(document);
    return id;
  }

  const below = (document: Row): Row[] => [
    document,
    ...world.documents
      .filter(({ parentDocumentId }) => parentDocumentId === document.id)
      .flatMap(below),
  ];
  const stamp = (document: Row, field: 'archivedAt' | 'deletedAt', at: string | null) => {
    for (const one of below(document)) {
      one[field] = at;
      touch(one);
    }
  };
  const drop = (from: Row[], one: Row | undefined): void => {
    if (one) from.splice(from.indexOf(one), 1);
  };

  return {
    ...world,
    words,
    now,
    touch,
    addCollection,
    addDocument,
    addComment,
    attach,
    join,
    write,
    archive: (document: Row) => stamp(document, 'archivedAt', now()),
    restore: (document: Row) => stamp(document, 'archivedAt', null),
    trash: (document: Row) => stamp(document, 'deletedAt', now()),
    /** The document leaves the trash for ever, and no list tells so. */
    erase(document: Row): void {
      for (const one of below(document)) drop(world.documents, one);
    },
    drop,
    /** Outline moves the documents below with it. */
    move(document: Row, collection: Row): void {
      document.parentDocumentId = null;
      for (const one of below(document)) {
        one.collectionId = collection.id;
        touch(one);
      }
    },
    /** The documents of a deleted collection go to the trash. */
    dropCollection(collection: Row): void {
      drop(world.collections, collection);
      for (const document of world.documents)
        if (document.collectionId === collection.id) stamp(document, 'deletedAt', now());
    },
    /** These lists show the document to Ann. */
    isLive: ({ archivedAt, deletedAt }: Row): boolean => !archivedAt && !deletedAt,
    isVisible: ({ id, collectionId }: Row): boolean =>
      world.collections.some((one) => one.id === collectionId) ||
      world.memberships.some((one) => one.documentId === id && one.userId === ann.id),
    textOf: ({ said, files }: Row): string =>
      [said, ...files.map((id: string) => fileLink(id, world.attachments.get(id) ?? ''))].join(
        '\n\n',
      ),
  };
}

const fileLink = (id: string, content: string): string =>
  `[plan\\_b.txt ${content.length}](/api/attachments.redirect?id=${id})`;
