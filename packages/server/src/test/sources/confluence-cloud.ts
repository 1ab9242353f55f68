/** Gives the company in Confluence the settings of the source. */
import { type ConfluenceCompany, openConfluenceCompany } from './confluence-company.ts';
import { recordId } from './confluence-ids.ts';

export async function openConfluenceCloud(): Promise<ConfluenceCompany> {
  const company = await openConfluenceCompany({ recordId, config: (site) => ({ site }) });
  // Most listings still have several pages, and a sync has a third of the requests.
  company.settings.largestPage = 8;
  // The same settings are right with OAuth when the site of the company was granted.
  for (const site of company.settings.gate.sites) site.url = company.peer.baseUrl;
  return company;
}
