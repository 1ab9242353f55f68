/** Writes records of the company in Confluence, each with a word of its own, in elements of many kinds and both formats. */
import { must } from '../../util.ts';
import { type AdfNode, adf } from './atlassian-adf.ts';
import { makeCompanyWords, said } from './company-words.ts';
import type {
  ConfluenceAttachment,
  ConfluenceBody,
  ConfluenceComment,
  ConfluenceContent,
  ConfluenceSpace,
} from './confluence-records.ts';
import { storage } from './confluence-storage.ts';
import { bodyOf, type ConfluenceWorld } from './confluence-world.ts';

/** A record of the company that a search must find by its word. */
export interface ConfluenceRecord {
  readonly kind: 'space' | 'page' | 'blogpost' | 'footer' | 'inline' | 'attachment';
  readonly id: string;
  /** The content on which a comment or an attachment stands, or the record itself. */
  readonly contentId: string;
  /** It is an archived space, or stands in one, or on an archived page. */
  readonly isArchived: boolean;
}

/** A record may be archived later, so its word is kept without this. */
export type WrittenRecord = Omit<ConfluenceRecord, 'isArchived'>;

/** Writes the word into an element of another kind for each content. */
const PLACES: readonly ((word: string) => { storage: string; node: AdfNode })[] = [
  (word) => ({
    storage: storage.paragraph(`It is about <strong>${word}</strong>.`),
    node: adf.paragraph([adf.text('It is about '), adf.text(word, 'strong'), adf.text('.')]),
  }),
  (word) => ({ storage: storage.heading(3, said(word)), node: adf.heading(3, said(word)) }),
  (word) => ({ storage: storage.bullets(said(word)), node: adf.bullets(said(word)) }),
  (word) => ({
    storage: storage.table(['What', 'Word'], ['This', said(word)]),
    node: adf.table(['What', 'Word'], ['This', said(word)]),
  }),
  (word) => ({
    storage: storage.code(`const ${word} = 1;`),
    node: adf.code(`const ${word} = 1;`),
  }),
  (word) => ({ storage: storage.panel('note', said(word)), node: adf.panel(said(word)) }),
  (word) => ({
    storage: storage.tasks({ text: said(word), isDone: true }),
    node: adf.tasks({ text: said(word), isDone: true }),
  }),
  (word) => ({ storage: storage.expand('More', said(word)), node: adf.expand('More', said(word)) }),
  (word) => ({
    storage: storage.layout(storage.paragraph('Left'), storage.paragraph(said(word))),
    node: adf.quote(said(word)),
  }),
];

export type ConfluenceWords = ReturnType<typeof makeConfluenceWords>;

export function makeConfluenceWords(world: ConfluenceWorld) {
  const { bob } = world;
  const { words, keep } = makeCompanyWords(({ kind, id }: WrittenRecord) => `${kind}/${id}`);
  let added = 0;

  function addSpace(key: string, name: string, more: Partial<ConfluenceSpace> = {}) {
    const space = world.addSpace(key, name, more);
    keep({ kind: 'space', id: space.id, contentId: space.id }, (word) => {
      space.description = said(word);
    });
    return space;
  }
  function add(
    kind: 'page' | 'blogpost',
    space: ConfluenceSpace,
    title: string,
    more: Partial<ConfluenceContent> = {},
  ): ConfluenceContent {
    const content = world.add(kind, space, title, more);
    const before: ConfluenceBody = more.body ?? { storage: '', adf: adf.doc() };
    const place = must(PLACES[added++ % PLACES.length]);
    keep({ kind, id: content.id, contentId: content.id }, (word) => {
      const here = place(word);
      content.body = {
        storage: before.storage + here.storage,
        adf: adf.doc(...before.adf.content, here.node),
      };
      world.touch(content);
    });
    return content;
  }
  const addPage = (title: string, space: ConfluenceSpace, more: Partial<ConfluenceContent> = {}) =>
    add('page', space, title, more);
  function addComment(
    on: ConfluenceContent,
    kind: ConfluenceComment['kind'] = 'footer',
    parent: ConfluenceComment | null = null,
  ): ConfluenceComment {
    const comment = world.addComment(on, kind, { parent });
    keep({ kind, id: comment.id, contentId: on.id }, (word) => {
      const { adf: document } = bodyOf(said(word));
      const text = `${storage.mention(bob.accountId)}: ${said(word)}`;
      comment.body = { storage: storage.paragraph(text), adf: document };
      world.touch(comment);
    });
    return comment;
  }
  function addAttachment(on: ConfluenceContent, name: string): ConfluenceAttachment {
    const file = world.addAttachment(on, name);
    keep({ kind: 'attachment', id: file.id, contentId: on.id }, (word) => {
      file.content = `# Plan\n\n${said(word)}\n`;
      world.touch(file);
    });
    return file;
  }

  return {
    words,
    keep,
    addSpace,
    add,
    addPage,
    addComment,
    addAttachment,
    countAdded: () => added,
  };
}
