/** Says which records the source makes of the company in SharePoint Online. */
import { APP_CREDENTIALS } from './graph-house.ts';
import type { Resync } from './resync.ts';
import { openSharepointCompany } from './sharepoint-company.ts';
import type { SharepointRecord } from './sharepoint-words.ts';

/** The source makes records of files alone. */
const recordId = ({ kind, isPersonal, driveId, itemId }: SharepointRecord): string | null =>
  isPersonal || !['file', 'empty'].includes(kind) ? null : `${driveId}/${itemId}`;

export async function openSharepointCloud() {
  const company = await openSharepointCompany({ recordId, credentials: APP_CREDENTIALS });
  const { refusals, docs, drives, directory } = company;
  const resync: Resync = {
    widen() {
      company.settings.largestPage = 1000;
    },
    incremental: {
      most: () => 1 + drives.sites.size + drives.drives.size,
      why: 'Graph has a list of what has changed in each drive, and none for an organization',
    },
    grow: () =>
      company.inPast(() => {
        company.addFile(docs, 'grown.md');
        const file = company.addFile(company.addFolder(docs), 'grown.md');
        drives.share(file, [{ to: 'user', ids: [directory.bob.id], roles: ['read'] }]);
      }),
  };
  // Two of the refusals differ only in their code, and the suite takes long for each.
  return {
    ...company,
    refusals: { ...refusals, rateLimited: refusals.rateLimited.slice(1) },
    resync,
  };
}
