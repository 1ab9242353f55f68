/** Makes records of posts, with what a pull knows of their categories. */
import type { SourceItem } from '../items.ts';
import type { Http } from '../kit/http.ts';
import type { Post } from './answers.ts';
import { readCategories } from './categories.ts';
import type { DiscourseConfig } from './config.ts';
import { type ForumPlace, toItems } from './posts.ts';

/** `itemsOf` reads the categories again when it meets a post in one that was made meanwhile. */
export async function openReader(http: Http, config: DiscourseConfig) {
  const read = async (): Promise<ForumPlace> => ({
    url: config.url.replace(/\/+$/, ''),
    categories: await readCategories(http, config),
    isWhole: config.categories.length === 0,
  });
  let place = await read();
  const unlisted = new Set<number>();
  return {
    get place() {
      return place;
    },
    async itemsOf(posts: readonly Post[]): Promise<SourceItem[]> {
      const unknown = posts.flatMap(({ category_id: id }) =>
        place.categories.all.has(id) || unlisted.has(id) ? [] : [id],
      );
      if (unknown.length > 0) place = await read();
      for (const id of unknown) unlisted.add(id);
      return posts.flatMap((post) => toItems(post, place));
    },
  };
}
export type ForumReader = Awaited<ReturnType<typeof openReader>>;
