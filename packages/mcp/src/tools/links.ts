/** An answer has links beside its text: clients show them, and need not look for addresses in the text. */
import type { ResourceLink } from '@modelcontextprotocol/server';

/**
 * Gives the link of each record, or undefined when the record has no address or an earlier record has the same one.
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

/** Gives the text that the link adds to the answer. */
export const textOf = (link: ResourceLink | undefined): string =>
  link === undefined ? '' : JSON.stringify(link);

export const present = (links: readonly (ResourceLink | undefined)[]): ResourceLink[] =>
  links.filter((link) => link !== undefined);
