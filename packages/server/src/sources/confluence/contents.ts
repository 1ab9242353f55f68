/** Knows the pages and blog posts of a site, and what stands above them, so that comments and files find their place. */
import type { Breadcrumb } from '../../model/entity.ts';
import { chunked } from '../../util.ts';
import { ContentAnswer } from './answer.ts';
import { type ConfluenceSite, contentAt, listAt } from './api.ts';

/** The address of a request has this many ids at most. */
const MAX_IDS = 200;
const TYPES: Readonly<Record<string, string>> = {
  page: 'ConfluencePage',
  blogpost: 'ConfluenceBlogPost',
  folder: 'ConfluenceFolder',
  database: 'ConfluenceDatabase',
  whiteboard: 'ConfluenceWhiteboard',
};

export interface ContentRef {
  readonly id: string;
  /** Confluence may have kinds that nobody knows yet. */
  readonly kind: string;
}
export interface PlacedContent extends ContentRef {
  readonly title: string;
  readonly spaceId: string;
  readonly isCurrent: boolean;
  readonly parent: ContentRef | null;
}
export interface ContentTree {
  /** Keeps what a listing has shown, so that it is not asked for. */
  note(kind: string, answers: readonly ContentAnswer[]): PlacedContent[];
  /** Returns those of these contents that the account sees, by their ids, and knows what stands above them. */
  find(refs: readonly ContentRef[]): Promise<ReadonlyMap<string, PlacedContent>>;
  /** Returns the contents from the root to the parent. The last part is null when one of them cannot be found. */
  above(content: PlacedContent): {
    readonly known: readonly PlacedContent[];
    readonly isWhole: boolean;
  };
}

export const crumbOf = ({ id, kind, title }: PlacedContent): Breadcrumb => ({
  id: kind === 'page' || kind === 'blogpost' ? `${kind}/${id}` : id,
  name: title,
  type: TYPES[kind] ?? 'ConfluenceContent',
});

export function openContents(site: ConfluenceSite): ContentTree {
  const kept = new Map<string, PlacedContent | null>();
  /** The contents above these are known. */
  const done = new WeakSet<PlacedContent>();

  function note(kind: string, answers: readonly ContentAnswer[]): PlacedContent[] {
    const contents = answers.map((answer) => toContent(kind, answer));
    for (const content of contents) kept.set(content.id, content);
    return contents;
  }

  async function load(refs: readonly ContentRef[]): Promise<void> {
    const unknown = new Map(refs.filter(({ id }) => !kept.has(id)).map((ref) => [ref.id, ref]));
    for (const kind of ['page', 'blogpost']) {
      const wanted = [...unknown.values()].filter(
        (ref) => ref.kind === kind && /^\d+$/.test(ref.id),
      );
      for (const some of chunked(wanted, MAX_IDS)) {
        const query = { id: some.map(({ id }) => id) };
        const request = { path: `wiki/api/v2/${kind}s`, query };
        for await (const { page } of listAt(site, request, { item: ContentAnswer }))
          note(kind, page);
      }
    }
    for (const { id, kind } of unknown.values())
      if (!kept.has(id)) kept.set(id, await between(site, id, kind));
  }

  /** Parents are asked for level by level, those of one level at the same time. */
  async function loadAbove(contents: readonly PlacedContent[]): Promise<void> {
    for (let level = contents.filter((one) => !done.has(one)); level.length > 0; ) {
      for (const one of level) done.add(one);
      const parents = level.flatMap(({ parent }) => parent ?? []);
      await load(parents);
      const next = new Set(parents.flatMap(({ id }) => kept.get(id) ?? []));
      level = [...next].filter((one) => !done.has(one));
    }
  }

  return {
    note,
    async find(refs) {
      await load(refs);
      const found = refs.flatMap(({ id }) => kept.get(id) ?? []);
      await loadAbove(found);
      return new Map(found.map((content) => [content.id, content]));
    },
    above(content) {
      const known: PlacedContent[] = [];
      const met = new Set([content.id]);
      for (let { parent } = content; parent; ) {
        const next = kept.get(parent.id);
        if (!next || met.has(next.id)) return { known, isWhole: false };
        met.add(next.id);
        known.unshift(next);
        parent = next.parent;
      }
      return { known, isWhole: true };
    },
  };
}

/** Listings ask for what is current, so a status that nobody knows yet is a current one. */
const GONE = new Set(['archived', 'trashed', 'deleted', 'draft', 'historical']);

const toContent = (kind: string, answer: ContentAnswer): PlacedContent => ({
  id: answer.id,
  kind,
  title: answer.title || 'Untitled',
  spaceId: answer.spaceId,
  isCurrent: !GONE.has(answer.status),
  parent:
    answer.parentId === '' ? null : { id: answer.parentId, kind: answer.parentType || 'page' },
});

/** Returns null for what is gone, for what the account does not see, and for kinds that cannot be asked for. */
async function between(
  site: ConfluenceSite,
  id: string,
  kind: string,
): Promise<PlacedContent | null> {
  if (!['page', 'blogpost', 'folder', 'database', 'whiteboard', 'embed'].includes(kind))
    return null;
  const found = await contentAt(site, { kind, id });
  return found && toContent(kind, found);
}
