/** Finds the page or blog post of a comment. An answer to a comment may name that comment only. */
import { NotFound } from '../kit/refusal.ts';
import { ThreadComment } from './answer.ts';
import { ask, type ConfluenceSite, pathOf } from './api.ts';
import type { ContentRef } from './contents.ts';

interface CommentPlace {
  readonly on: ContentRef;
  /** These are the ids of the comments above, from the first to the parent. */
  readonly above: readonly string[];
}
type KnownComment = Pick<ThreadComment, 'pageId' | 'blogPostId' | 'parentCommentId'>;

export interface CommentThreads {
  note(answers: readonly ThreadComment[]): void;
  /** Returns null for a comment whose page cannot be found. */
  placeOf(kind: 'footer' | 'inline', id: string): Promise<CommentPlace | null>;
}

/** Returns null for what stands on something else than a page or a blog post. */
export const contentOf = ({
  pageId,
  blogPostId,
}: Pick<ThreadComment, 'pageId' | 'blogPostId'>): ContentRef | null => {
  if (pageId !== '') return { id: pageId, kind: 'page' };
  return blogPostId === '' ? null : { id: blogPostId, kind: 'blogpost' };
};

export function openComments(site: ConfluenceSite): CommentThreads {
  const kept = new Map<string, KnownComment | null>();

  async function find(kind: 'footer' | 'inline', id: string): Promise<KnownComment | null> {
    const known = kept.get(id);
    if (known !== undefined) return known;
    const found = await askComment(site, kind, id);
    kept.set(id, found);
    return found;
  }

  return {
    note(answers) {
      for (const { id, pageId, blogPostId, parentCommentId } of answers)
        kept.set(id, { pageId, blogPostId, parentCommentId });
    },
    async placeOf(kind, id) {
      const above: string[] = [];
      let comment = await find(kind, id);
      for (; comment; comment = await find(kind, comment.parentCommentId)) {
        const parent = comment.parentCommentId;
        // A comment that answers itself has no place.
        if (parent === id || above.includes(parent)) return null;
        if (parent !== '') above.unshift(parent);
        const on = contentOf(comment);
        if (on) return { on, above };
        if (parent === '') return null;
      }
      return null;
    },
  };
}

async function askComment(
  site: ConfluenceSite,
  kind: 'footer' | 'inline',
  id: string,
): Promise<KnownComment | null> {
  try {
    return (await ask(site, { path: pathOf(`${kind}-comments`, id) }, ThreadComment)).value;
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}
