/**
 * Holds a workspace of Notion: a tree of pages, databases with data sources, and blocks, with comments and files.
 * Times are kept exactly, but Notion shows them rounded down to the minute, so two edits in a minute look like one.
 */
import type {
  BlockObjectResponse,
  CommentObjectResponse,
  DatabaseObjectResponse,
  DataSourceObjectResponse,
  PageObjectResponse,
  UserObjectResponse,
} from '@notionhq/client';
import { must } from '../../util.ts';
import {
  block,
  type NotionColumns,
  type NotionContent,
  type NotionFileRef,
  type NotionValues,
  text,
} from './notion-content.ts';

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

/** Notion shows times like this. */
export const shownTime = (at: number): string => new Date(at - (at % 60_000)).toISOString();

export const person = (name: string, email?: string): UserObjectResponse => ({
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
  const by = { object: 'user', id: ann.id } as const;

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
  /** Returns the page, database or data source in which a block stands. */
  const holderOf = (node: NotionNode): NotionNode =>
    node.kind === 'block' ? holderOf(must(parentOf(node))) : node;

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
    holderOf,
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

  const common = (node: NotionNode) => ({
    id: node.id,
    created_time: shownTime(node.createdAt),
    last_edited_time: shownTime(node.editedAt),
    created_by: by,
    last_edited_by: by,
    in_trash: world.isTrashed(node),
    archived: world.isTrashed(node),
  });
  const looks = (node: NotionNode) => ({
    icon: null,
    cover: null,
    url: `https://www.notion.so/${node.id.replaceAll('-', '')}`,
    public_url: null,
  });
  function placeOf(node: NotionNode) {
    const parent = parentOf(node);
    switch (parent?.kind) {
      case undefined:
        return { type: 'workspace', workspace: true } as const;
      case 'page':
        return { type: 'page_id', page_id: parent.id } as const;
      case 'block':
        return { type: 'block_id', block_id: parent.id } as const;
      case 'database':
        return { type: 'database_id', database_id: parent.id } as const;
      case 'data_source':
        return {
          type: 'data_source_id',
          data_source_id: parent.id,
          database_id: must(parent.parent),
        } as const;
    }
  }

  /** Each function returns the object as Notion shows it. `file` makes a new address of a file. */
  const show = {
    page: (node: NotionNode, file: (id: string) => NotionFileRef): PageObjectResponse => ({
      object: 'page',
      ...common(node),
      ...looks(node),
      is_archived: false,
      is_locked: false,
      parent: placeOf(node),
      properties: node.values(node, file),
    }),
    dataSource: (node: NotionNode): DataSourceObjectResponse => ({
      object: 'data_source',
      ...common(node),
      ...looks(node),
      title: [text(node.title)],
      description: [text(node.description)],
      is_inline: false,
      parent: placeOf(node) as DataSourceObjectResponse['parent'],
      database_parent: placeOf(must(parentOf(node))) as DataSourceObjectResponse['database_parent'],
      properties: node.columns,
    }),
    database(node: NotionNode): DatabaseObjectResponse {
      const { created_by: _, last_edited_by: __, ...rest } = common(node);
      return {
        object: 'database',
        ...rest,
        ...looks(node),
        title: [text(node.title)],
        description: [text(node.description)],
        parent: placeOf(node) as DatabaseObjectResponse['parent'],
        is_inline: false,
        is_locked: false,
        data_sources: world.childrenOf(node.id).map(({ id, title: name }) => ({ id, name })),
      };
    },
    /** Pages and databases are blocks of their parents, too. */
    block(node: NotionNode, file: (id: string) => NotionFileRef): BlockObjectResponse {
      const { kind, title } = node;
      const content: NotionContent =
        kind === 'page'
          ? { type: 'child_page', child_page: { title } }
          : kind === 'block'
            ? node.content(file)
            : { type: 'child_database', child_database: { title } };
      const source =
        content.type === 'synced_block' ? content.synced_block.synced_from?.block_id : null;
      return {
        object: 'block',
        ...common(node),
        parent: placeOf(node) as BlockObjectResponse['parent'],
        has_children: kind !== 'database' && world.childrenOf(source ?? node.id).length > 0,
        ...content,
      } as BlockObjectResponse;
    },
    comment(comment: NotionComment): CommentObjectResponse {
      const { id, on, discussion } = comment;
      const isPage = nodes.get(on)?.kind === 'page';
      return {
        object: 'comment',
        id,
        parent: isPage ? { type: 'page_id', page_id: on } : { type: 'block_id', block_id: on },
        discussion_id: discussion,
        created_time: shownTime(comment.createdAt),
        last_edited_time: shownTime(comment.editedAt),
        created_by: by,
        rich_text: comment.body,
        display_name: { type: 'user', resolved_name: ann.name },
      };
    },
  };
  return { ...world, show };
}
