/** Gives the company in Confluence the settings of the source. */
import { type ConfluenceCompany, openConfluenceCompany } from './confluence-company.ts';
import { recordId } from './confluence-ids.ts';
import type { Resync } from './resync.ts';

/** Confluence allows so many records in a page. */
const LARGEST_PAGE = 250;

export async function openConfluenceCloud() {
  const company: ConfluenceCompany = await openConfluenceCompany({
    recordId,
    config: (site) => ({ site }),
  });
  // Most listings still have several pages, and a sync has a third of the requests.
  company.settings.largestPage = 8;
  // The same settings are right with OAuth when the site of the company was granted.
  for (const site of company.settings.gate.sites) site.url = company.peer.baseUrl;
  const { world, settings, ops, handbook } = company;
  const resync: Resync = {
    widen() {
      settings.largestPage = LARGEST_PAGE;
    },
    grow: () =>
      company.inPast(() => {
        const restriction = [{ type: 'user', value: world.me.accountId } as const];
        const page = company.addPage('Grown', ops, { parent: handbook, restriction });
        for (const kind of ['footer', 'inline'] as const)
          company.addComment(page, kind, company.addComment(page, kind));
        company.addAttachment(page, 'grown.md');
      }),
  };
  return { ...company, resync };
}
