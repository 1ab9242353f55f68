/** Gives the company in Jira the settings of the source. */
import { openJiraCompany } from './jira-company.ts';
import type { Resync } from './resync.ts';

/** Listings of issues tell 20 comments of each. */
const MANY_COMMENTS = 21;

export async function openJiraCloud() {
  const company = await openJiraCompany({ config: (site: string) => ({ site }) });
  // The same settings are right with OAuth when the site of the company was granted.
  for (const site of company.settings.gate.sites) site.url = company.peer.baseUrl;
  const { settings, ops } = company;
  const resync: Resync = {
    widen: () => void Object.assign(settings, { largestPage: 100, mostComments: 20 }),
    full: {
      perGrowth: 1,
      why: 'a search shows 20 comments of an issue, and who may see the others can change alone',
    },
    grow: () =>
      company.inPast(() => {
        const issue = company.addIssue(ops, 'Grown');
        for (let i = 0; i < MANY_COMMENTS; i++) company.addComment(issue);
        company.addAttachment(issue, 'grown.md');
      }),
  };
  return { ...company, resync };
}
