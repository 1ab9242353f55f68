/**
 * Holds a site of Confluence: spaces with a tree of pages and with blog posts, and their comments and attachments. Ids of
 * spaces and of contents are the same numbers, as they may be in Confluence.
 */
import { adf } from './atlassian-adf.ts';
import { type AtlassianUser, makeAtlassianPeople } from './atlassian-people.ts';
import type {
  ConfluenceAttachment,
  ConfluenceBody,
  ConfluenceComment,
  ConfluenceContent,
  ConfluenceHolder,
  ConfluenceSpace,
} from './confluence-records.ts';

const FIRST_ID = 65_536;

export type ConfluenceWorld = ReturnType<typeof makeConfluenceWorld>;

export const bodyOf = (text: string): ConfluenceBody => ({
  storage: `<p>${text}</p>`,
  adf: adf.doc(adf.paragraph(text)),
});

/** `now` returns milliseconds since 1970. */
export function makeConfluenceWorld(now: () => number) {
  const people = makeAtlassianPeople();
  const { ann, bob, staff } = people;
  const spaces = new Map<string, ConfluenceSpace>();
  const contents = new Map<string, ConfluenceContent>();
  const comments = new Map<string, ConfluenceComment>();
  const attachments = new Map<string, ConfluenceAttachment>();
  let lastContent = FIRST_ID;
  const newId = () => String(++lastContent);

  const holds = ({ type, value }: ConfluenceHolder, user: AtlassianUser): boolean =>
    type === 'user' ? value === user.accountId : people.isIn(value, user);
  /** Returns the content with the pages above it, from the content to the root. */
  const lineOf = (content: ConfluenceContent): ConfluenceContent[] => [
    content,
    ...(content.parent ? lineOf(content.parent) : []),
  ];
  const versioned = () => {
    const at = now();
    return { createdAt: at, updatedAt: at, version: 1 };
  };

  const world = {
    ...people,
    spaces,
    contents,
    comments,
    attachments,
    addSpace(key: string, name: string, more: Partial<ConfluenceSpace> = {}): ConfluenceSpace {
      const space: ConfluenceSpace = {
        id: String(FIRST_ID + 1 + spaces.size),
        key,
        name,
        type: 'global',
        status: 'current',
        description: '',
        author: ann,
        createdAt: now(),
        readers: [{ type: 'group', value: staff.id }],
        isOpenToAll: false,
        ...more,
      };
      spaces.set(space.id, space);
      return space;
    },
    add(
      kind: ConfluenceContent['kind'],
      space: ConfluenceSpace,
      title: string,
      more: Partial<ConfluenceContent> = {},
    ): ConfluenceContent {
      const content: ConfluenceContent = {
        id: newId(),
        kind,
        space,
        title,
        parent: null,
        body: bodyOf(''),
        status: 'current',
        author: ann,
        labels: [],
        restriction: null,
        ...versioned(),
        ...more,
      };
      contents.set(content.id, content);
      return content;
    },
    addComment(
      on: ConfluenceContent,
      kind: ConfluenceComment['kind'],
      more: Partial<ConfluenceComment> = {},
    ): ConfluenceComment {
      const comment: ConfluenceComment = {
        id: newId(),
        kind,
        on,
        parent: null,
        body: bodyOf(''),
        author: bob,
        resolution: 'open',
        selection: kind === 'inline' ? 'weir' : null,
        ...versioned(),
        ...more,
      };
      comments.set(comment.id, comment);
      return comment;
    },
    addAttachment(
      on: ConfluenceContent,
      name: string,
      { content = '' as string | Buffer, type = 'text/markdown' } = {},
    ): ConfluenceAttachment {
      const file: ConfluenceAttachment = {
        id: `att${newId()}`,
        on,
        name,
        type,
        content,
        author: ann,
        status: 'current',
        ...versioned(),
      };
      attachments.set(file.id, file);
      return file;
    },
    /** A change of the text, or of a file, is a new version. A move and a restriction are not. */
    touch(record: ConfluenceContent | ConfluenceComment | ConfluenceAttachment): void {
      record.updatedAt = now();
      record.version++;
    },
    /** Pages below a page that is trashed move up to its parent. */
    trash(content: ConfluenceContent): void {
      for (const child of world.childrenOf(content)) child.parent = content.parent;
      content.status = 'trashed';
    },
    purge(content: ConfluenceContent): void {
      for (const { id, on } of comments.values()) if (on === content) comments.delete(id);
      for (const { id, on } of attachments.values()) if (on === content) attachments.delete(id);
      contents.delete(content.id);
    },
    /** A page moves with the pages below it. */
    move(page: ConfluenceContent, space: ConfluenceSpace, parent: ConfluenceContent | null): void {
      page.parent = parent;
      for (const one of contents.values()) if (lineOf(one).includes(page)) one.space = space;
    },
    removeSpace(space: ConfluenceSpace): void {
      for (const one of [...contents.values()]) if (one.space === space) world.purge(one);
      spaces.delete(space.id);
    },
    /** Removes the comment with the answers to it. */
    removeComment(comment: ConfluenceComment): void {
      for (const one of [...comments.values()])
        if (one.parent === comment) world.removeComment(one);
      comments.delete(comment.id);
    },
    childrenOf: (content: ConfluenceContent) =>
      [...contents.values()].filter(({ parent }) => parent === content),
    lineOf,
    /** Nobody in particular is undefined. */
    canRead: (user: AtlassianUser | undefined, space: ConfluenceSpace): boolean =>
      space.isOpenToAll || (user !== undefined && space.readers.some((one) => holds(one, user))),
    /** A restriction of a page holds for all pages below it, too. */
    canSee: (user: AtlassianUser | undefined, content: ConfluenceContent): boolean =>
      content.status !== 'draft' &&
      spaces.has(content.space.id) &&
      world.canRead(user, content.space) &&
      lineOf(content).every(
        ({ restriction }) =>
          restriction === null ||
          (user !== undefined && restriction.some((one) => holds(one, user))),
      ),
  };
  return world;
}
