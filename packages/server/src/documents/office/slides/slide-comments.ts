/** Reads the comments on a slide: those of old programs (ECMA-376 part 1, 19.4) and threads ([MS-PPTX] 2.6). */
import type { Aside } from '../comments.ts';
import type { OfficePackage, PartRelation } from '../package.ts';
import { attribute } from '../xml.ts';

/** Maps the ids of the authors of comments to their names. `relations` are those of the presentation. */
export function readCommentAuthors(
  document: OfficePackage,
  relations: readonly PartRelation[],
): Map<string, string> {
  const authors = new Map<string, string>();
  for (const { type, target } of relations)
    if (type === 'commentAuthors' || type === 'authors')
      document.read(target, {
        open(name, attributes) {
          if (name === 'cmAuthor' || name === 'author')
            authors.set(
              attribute(attributes, 'id') ?? '',
              (attribute(attributes, 'name') ?? '').slice(0, 200),
            );
          return undefined;
        },
      });
  return authors;
}

export function readSlideComments(
  document: OfficePackage,
  path: string,
  authors: ReadonlyMap<string, string>,
): Aside[] {
  const found: { text: string; readonly author: string }[] = [];
  let comment: { text: string } | null = null;
  let inText = false;
  document.read(path, {
    open(name, attributes) {
      if (name === 't' || name === 'text') {
        inText = true;
        return () => {
          inText = false;
        };
      }
      if (name === 'p' && comment) comment.text += ' ';
      if (name !== 'cm' && name !== 'reply') return undefined;
      // The answers to a comment are inside of it, before its own text.
      const outer = comment;
      const author = authors.get(attribute(attributes, 'authorId') ?? '') ?? '';
      const own = { text: '', author };
      comment = own;
      found.push(own);
      return () => {
        comment = outer;
      };
    },
    text(data) {
      if (inText && comment) comment.text += data;
    },
  });
  return found.filter(({ text }) => text.trim() !== '');
}
