/** Reads the categories of a forum, and who may see the records in them. */

import { SourceError } from '../../errors.ts';
import type { Access, Breadcrumb, Entity } from '../../model/entity.ts';
import type { Http } from '../kit/http.ts';
import { About, type Category, CategoryGroups, Site } from './answers.ts';
import type { DiscourseConfig } from './config.ts';

/** Everybody with an account is a member of this group. */
export const USERS = 'group:users';

export interface ForumGroup {
  readonly id: number;
  readonly name: string;
}
export interface Categories {
  readonly all: ReadonlyMap<number, Category>;
  /** These are the categories that the connection copies. */
  readonly chosen: ReadonlyMap<number, Category>;
  /** The names of the groups that see a restricted category; null when Discourse does not tell them. */
  readonly groups: ReadonlyMap<number, readonly ForumGroup[] | null>;
  readonly loginRequired: boolean;
  accessOf(category: Category): Access;
  /** Returns the categories from the root to this one. */
  pathOf(category: number): Breadcrumb[];
}

export const siteOf = async (http: Http) => (await http.json({ path: 'site.json' }, Site)).value;
export const aboutOf = async (http: Http) =>
  (await http.json({ path: 'site/basic-info.json' }, About)).value;

export async function readCategories(http: Http, config: DiscourseConfig): Promise<Categories> {
  const { login_required: loginRequired } = await aboutOf(http);
  const { categories } = await siteOf(http);
  const all = new Map(categories.map((category) => [category.id, category]));
  const lineOf = (id: number | null): Category[] => {
    const line: Category[] = [];
    for (let at = id; at !== null; ) {
      const category = all.get(at);
      // Discourse nests categories three deep, so a longer line would go in circles.
      if (!category || line.includes(category)) break;
      line.unshift(category);
      at = category.parent_category_id;
    }
    return line;
  };
  const isChosen = ({ id }: Category) =>
    config.categories.length === 0 ||
    lineOf(id).some((above) => config.categories.includes(String(above.id)));
  const chosen = new Map(categories.filter(isChosen).map((category) => [category.id, category]));
  const groups = new Map<number, readonly ForumGroup[] | null>();
  for (const { id, read_restricted } of chosen.values())
    if (read_restricted) groups.set(id, await groupsOf(http, id));
  return {
    all,
    chosen,
    groups,
    loginRequired,
    accessOf({ id, read_restricted }) {
      // Groups that are unknown let nobody see the category.
      if (read_restricted)
        return {
          viewers: (groups.get(id) ?? []).map((group) => `group:${group.id}`),
          isPublic: false,
        };
      return loginRequired ? { viewers: [USERS], isPublic: false } : EVERYBODY;
    },
    pathOf: (category) =>
      lineOf(category).map(({ id, name }) => ({
        id: `category/${id}`,
        name,
        type: 'DiscourseCategory',
      })),
  };
}

const EVERYBODY: Access = { viewers: null, isPublic: true };

async function groupsOf(http: Http, category: number): Promise<ForumGroup[] | null> {
  try {
    const { value } = await http.json({ path: `c/${category}/show.json` }, CategoryGroups);
    const found = value.category.group_permissions;
    return found?.map(({ group_id, group_name }) => ({ id: group_id, name: group_name })) ?? null;
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip') return null;
    throw error;
  }
}

export const toCategory = (
  category: Category,
  { url, categories }: { readonly url: string; readonly categories: Categories },
): Entity => ({
  id: `category/${category.id}`,
  type: 'DiscourseCategory',
  name: category.name,
  text: category.description_text,
  url: `${url}/c/${category.slug || '-'}/${category.id}`,
  breadcrumbs: categories.pathOf(category.id).slice(0, -1),
  access: categories.accessOf(category),
  fields: { restricted: category.read_restricted },
});
