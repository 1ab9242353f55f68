/**
 * Holds a workspace of Notion: a tree of pages, databases with data sources, and blocks, with comments and files.
 * Times are kept exactly, but Notion shows them rounded down to the minute, so two edits in a minute look like one.
 */
import type { CommentObjectResponse, UserObjectResponse } from '@notionhq/client';
import { must } from '../../util.ts';
import type { NotionColumns, NotionValues } from './notion-columns.ts';
import { block, type NotionContent, type NotionFileRef, text } from './notion-content.ts';

export interface NotionNode {
  readonly id: string;
  readonly kind: 'page' | 'database' | 'data_source' | 'block';
  /** The parent of a page at the top is the workspace, for which null stands. */
  parent: string | null;
  title: string;
  description: string;
  content: (file: (id: string) => NotionFileRef) => NotionContent;
  /** A page of a data source has these properties. Every page has a title. */
  values: (node: NotionNode, file: (id: string) => NotionFileRef) => NotionValues;
  columns: NotionColumns;
  createdAt: number;
  editedAt: number;
  isTrashed: boolean;
  /** The integration does not see an object that is not shared, nor anything below it. */
  isShared: boolean;
}

export interface NotionComment {
  readonly id: string;
  /** The comment is on this page or block. */
  readonly on: string;
  readonly discussion: string;
  body: CommentObjectResponse['rich_text'];
  readonly createdAt: number;
  editedAt: number;
}

export interface NotionFile {
  readonly name: string;
  readonly type: string;
  content: string | Buffer;
}

export type NotionWorld = ReturnType<typeof makeNotionWorld>;

/** Notion never uses an id twice, so two workspaces have no id in common. */
let lastId = 0;
export const newNotionId = (): string =>
  `1f0c5a3e-0000-4000-8000-${(++lastId).toString(16).padStart(12, '0')}`;

const person = (name: string, email?: string): UserObjectResponse => ({
  object: 'user',
  id: newNotionId(),
  name,
  avatar_url: null,
  type: 'person',
  person: email === undefined ? {} : { email },
});

/** `now` returns milliseconds since 1970. */
export function makeNotionWorld(now: () => number) {
  const nodes = new Map<string, NotionNode>();
  const comments = new Map<string, NotionComment>();
  const files = new Map<string, NotionFile>();
  const ann = person('Ann', 'ann@acme.example');
  const bob = person('Bob', 'Bob@Acme.example');
  const bot: UserObjectResponse = {
    object: 'user',
    id: newNotionId(),
    name: 'Quarry',
    avatar_url: null,
    type: 'bot',
    bot: {
      owner: { type: 'workspace', workspace: true },
      workspace_id: newNotionId(),
      workspace_name: 'Acme',
      workspace_limits: { max_file_upload_size_in_bytes: 5_242_880 },
    },
  };

  function add(
    kind: NotionNode['kind'],
    parent: string | null,
    more: Partial<NotionNode> = {},
  ): NotionNode {
    const at = now();
    const node: NotionNode = {
      id: newNotionId(),
      kind,
      parent,
      title: '',
      description: '',
      content: () => block.divider(),
      values: ({ title }) => ({ title: { id: 'title', type: 'title', title: [text(title)] } }),
      columns: { Name: { id: 'title', name: 'Name', description: null, type: 'title', title: {} } },
      createdAt: at,
      editedAt: at,
      isTrashed: false,
      isShared: true,
      ...more,
    };
    nodes.set(node.id, node);
    return node;
  }
  const parentOf = ({ parent }: NotionNode) => (parent === null ? undefined : nodes.get(parent));
  const some = (node: NotionNode | undefined, holds: (one: NotionNode) => boolean): boolean =>
    node !== undefined && (holds(node) || some(parentOf(node), holds));

  const world = {
    nodes,
    comments,
    files,
    users: [ann, bob, bot],
    ann,
    bob,
    bot,
    add,
    parentOf,
    addPage: (title: string, parent: string | null, more: Partial<NotionNode> = {}) =>
      add('page', parent, { title, ...more }),
    addBlock: (
      parent: string,
      content: NotionContent | NotionNode['content'],
      more: Partial<NotionNode> = {},
    ) => {
      const node = add('block', parent, {
        content: typeof content === 'function' ? content : () => content,
        ...more,
      });
      world.touch(node);
      return node;
    },
    addComment(on: string, body: string, more: Partial<NotionComment> = {}): NotionComment {
      const at = now();
      const comment = {
        id: newNotionId(),
        on,
        discussion: newNotionId(),
        body: [text(body)],
        createdAt: at,
        editedAt: at,
        ...more,
      };
      comments.set(comment.id, comment);
      return comment;
    },
    addFile(name: string, content: string | Buffer, type = 'text/markdown'): string {
      const id = newNotionId();
      files.set(id, { name, type, content });
      return id;
    },
    /** An edit of a block is an edit of the page that holds it. A comment is not, and no edit moves the parent of a page. */
    touch(node: NotionNode): void {
      node.editedAt = now();
      if (node.kind === 'block') world.touch(must(parentOf(node)));
    },
    /** Removes a block. */
    removeBlock(node: NotionNode): void {
      nodes.delete(node.id);
      world.touch(must(parentOf(node)));
    },
    isVisible: (node: NotionNode | undefined): node is NotionNode =>
      node !== undefined && !some(node, ({ isShared }) => !isShared),
    isTrashed: (node: NotionNode): boolean => some(node, ({ isTrashed }) => isTrashed),
    isBelow: (node: NotionNode, id: string): boolean => some(node, (one) => one.id === id),
    childrenOf: (id: string): NotionNode[] =>
      [...nodes.values()].filter(({ parent }) => parent === id),
  };
  return world;
}
