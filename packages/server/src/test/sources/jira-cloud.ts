/** Gives the company in Jira the settings of the source. */
import { openJiraCompany } from './jira-company.ts';

export async function openJiraCloud() {
  const company = await openJiraCompany({ config: (site: string) => ({ site }) });
  // The same settings are right with OAuth when the site of the company was granted.
  for (const site of company.settings.gate.sites) site.url = company.peer.baseUrl;
  return company;
}
