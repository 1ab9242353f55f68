/** Refusals of Google Drive, as Google writes them. */
import { json, type PeerAnswer } from './cloud-peer.ts';

export const refused = (
  status: number,
  message: string,
  { reason, location }: { reason: string; location?: string },
  headers: Record<string, string> = {},
): PeerAnswer =>
  json(
    status,
    {
      error: {
        code: status,
        message,
        errors: [
          {
            message,
            domain: 'global',
            reason,
            ...(location && { location, locationType: 'parameter' }),
          },
        ],
      },
    },
    headers,
  );

export const noFile = (id: string): PeerAnswer =>
  refused(404, `File not found: ${id}.`, { reason: 'notFound', location: 'fileId' });
export const noDrive = (id: string): PeerAnswer =>
  refused(404, `Shared drive not found: ${id}`, { reason: 'notFound', location: 'driveId' });
export const badToken = (): PeerAnswer =>
  refused(400, 'Invalid Value', { reason: 'invalid', location: 'pageToken' });
export const forbidden = (): PeerAnswer =>
  refused(403, 'The user does not have sufficient permissions for this shared drive.', {
    reason: 'forbidden',
  });
export const unauthorized = (): PeerAnswer =>
  refused(
    401,
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    { reason: 'authError', location: 'Authorization' },
  );
