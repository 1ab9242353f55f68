/** An answer has links to the records beside its text, so that clients do not have to search the text for addresses. */
import type { ResourceLink } from '@modelcontextprotocol/server';

/**
 * Returns for each record its link, or undefined when the record has no valid address or an earlier record has the same
 * address.
 */
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

/** Returns the link as the JSON that is sent, or '' for no link. Callers add its size to the size of the answer. */
export const linkJson = (link: ResourceLink | undefined): string =>
  link === undefined ? '' : JSON.stringify(link);

export const withoutMissing = (links: readonly (ResourceLink | undefined)[]): ResourceLink[] =>
  links.filter((link) => link !== undefined);
