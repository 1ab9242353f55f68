/** Settings of the fake of Google Drive: what its tokens may do, and what it shows and refuses. */
export const DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive.readonly';

export type DriveSettings = ReturnType<typeof usualDriveSettings>;

export const usualDriveSettings = () => ({
  /** A page has at most this many entries, even when a request asks for more. */
  largestPage: 1000,
  /** The service account may use these scopes on behalf of the person. */
  delegated: [DRIVE_SCOPE],
  isAdmin: false,
  refreshTokens: new Set(['refresh-1']),
  /** Google refuses to export a document as a file that is larger than this. */
  exportBytes: 10 * 2 ** 20,
  /** Google refuses to list these corpora and their changes. */
  forbidden: new Set<string>(),
  /** Listings in another order show whether the connector depends on the order. */
  isReversed: false,
  /** Listings say that Google has not searched all files. */
  isIncomplete: false,
});
