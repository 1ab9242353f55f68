/** Links beside the text of an answer: clients show them, and need not look for addresses in it. */
import type { ResourceLink } from '@modelcontextprotocol/server';

/** For each record its link, or undefined where it has no address or that of one before. */
export function linksTo(
  records: readonly { readonly name: string; readonly url: string }[],
): (ResourceLink | undefined)[] {
  const seen = new Set<string>();
  return records.map(({ name, url }) => {
    if (seen.has(url) || !URL.canParse(url)) return undefined;
    seen.add(url);
    return { type: 'resource_link', uri: url, name };
  });
}

/** What it adds to the text that it belongs to. */
export const textOf = (link: ResourceLink | undefined): string =>
  link === undefined ? '' : JSON.stringify(link);

export const present = (links: readonly (ResourceLink | undefined)[]): ResourceLink[] =>
  links.filter((link) => link !== undefined);
