/** Start addresses must lead to something, because an empty listing would look like a complete one. */
import { SourceError } from '../../errors.ts';
import { openSite, type SiteContext } from './site.ts';
import { type Visit, visit } from './visit.ts';

const MAX_REDIRECTS = 5;

/** Visits all start addresses. Throws a SourceError for the first one that leads to nothing. */
export async function check(ctx: SiteContext): Promise<void> {
  const site = openSite(ctx);
  for (const start of ctx.config.start_urls) {
    let address = start;
    for (let hops = 0; ; hops++) {
      const entry = { address, kind: 'start', lastmod: null, isSecondLook: false } as const;
      const visited = await visit(site, entry, undefined);
      refuseStart(address, visited);
      if (visited.is !== 'moved') break;
      if (visited.to === null || !site.scope.allows(visited.to))
        throw redirectError(start, visited.to);
      if (hops === MAX_REDIRECTS)
        throw new SourceError('config', `the start address ${start} redirects without an end`);
      address = visited.to;
    }
  }
}

export const redirectError = (start: string, to: string | null): SourceError =>
  new SourceError('config', `the start address ${start} redirects to ${to ?? 'no page'}`, {
    hint: 'Give that address as the start address, or name its host in hosts.',
  });

/** Throws when a start address leads to nothing, because the listing would then be empty and look complete. */
export function refuseStart(address: string, visited: Visit): void {
  const refuse = (why: string, hint?: string) => {
    throw new SourceError('config', `the start address ${address} ${why}`, { hint });
  };
  if (visited.is === 'forbidden') refuse('may not be read: robots.txt forbids it');
  if (visited.is === 'gone') refuse(`answered ${visited.status}`);
  if (visited.is === 'textless') refuse('is neither a page, a sitemap, a feed nor a document');
  if (visited.is === 'denied' && visited.status === 401)
    throw new SourceError(
      'auth',
      `the start address ${address} asks for a user name and a password`,
    );
  if (visited.is === 'denied') refuse(`answered ${visited.status}`);
  if (visited.is === 'omitted') refuse(`is left out: ${visited.omission.reason}`);
  if (visited.is === 'failed')
    throw new SourceError(
      'transient',
      `the start address ${address} cannot be read: ${visited.error.message}`,
    );
  if (visited.is === 'page' && visited.isLikeMissing)
    throw new SourceError(
      'transient',
      `${address} shows the same as an address that does not exist: the site is broken, or its pages are made in the browser`,
    );
}
