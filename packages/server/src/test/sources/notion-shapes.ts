/** Shows the objects of a workspace as Notion's answers have them. */
import type {
  BlockObjectResponse,
  CommentObjectResponse,
  DatabaseObjectResponse,
  DataSourceObjectResponse,
  PageObjectResponse,
} from '@notionhq/client';
import { must } from '../../util.ts';
import { type NotionContent, type NotionFileRef, text } from './notion-content.ts';
import type { NotionComment, NotionNode, NotionWorld } from './notion-world.ts';

/** Times are rounded down to the minute. */
export const shownTime = (at: number): string => new Date(at - (at % 60_000)).toISOString();

export function makeNotionShapes(world: NotionWorld) {
  const { nodes, ann, parentOf } = world;
  const by = { object: 'user', id: ann.id } as const;
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

  /** `file` makes a new address of a file. */
  return {
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
}
