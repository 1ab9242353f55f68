/** Holds the schema of GitHub's answer to a code search with text matches, and turns the found items into entities. */
import { z } from 'zod';
import type { Entity } from '../../model/entity.ts';

const Item = z.object({
  name: z.string().min(1).max(1000),
  path: z.string().min(1).max(4000),
  sha: z.string().max(100),
  html_url: z.string().max(8000),
  repository: z.object({ full_name: z.string().min(1).max(300) }),
  text_matches: z
    .array(z.object({ property: z.string().nullish(), fragment: z.string() }))
    .default([]),
});

export const SearchResult = z.object({ items: z.array(Item) });

export const CodeFile = z.object({
  repository: z.string().meta({ title: 'Repository', description: 'Repository as owner/name.' }),
  path: z
    .string()
    .meta({ title: 'Path', description: 'Path within the repository, separated by /.' }),
  sha: z.string().meta({ title: 'SHA', description: 'SHA of the content.' }),
});

/** The text of the entity is not the whole file: GitHub returns only the passages that contain the words of the query. */
export function toEntity({ name, path, sha, html_url, ...item }: z.infer<typeof Item>): Entity {
  const repository = item.repository.full_name;
  const passages = item.text_matches
    .filter(({ property }) => property === 'content')
    .map(({ fragment }) => fragment);
  return {
    id: `${repository}/${path}`,
    type: 'GitHubCodeFile',
    name,
    // The passages are missing when the words are only in the path.
    text: passages.length > 0 ? passages.join('\n\n') : path,
    url: html_url,
    breadcrumbs: [{ id: repository, name: repository, type: 'Repository' }],
    fields: { repository, path, sha } satisfies z.infer<typeof CodeFile>,
  };
}
