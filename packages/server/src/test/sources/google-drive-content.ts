/** Answers with the content of a file of Google Drive, as it is or exported to another format. */
import type { PeerAnswer } from './cloud-peer.ts';
import { refused } from './google-drive-refusal.ts';
import { bytesOf, GOOGLE, type PeerFile } from './google-drive-world.ts';

/** Google can export its documents in these formats, and in others. */
const EXPORTED: Readonly<Record<string, readonly string[]>> = {
  document: [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'text/markdown',
    'application/pdf',
  ],
  spreadsheet: ['application/pdf', 'text/csv'],
  presentation: ['text/plain', 'application/pdf'],
  drawing: ['application/pdf'],
};

export function contentOf(file: PeerFile, url: URL, exportBytes: number): PeerAnswer {
  const isExport = url.pathname.endsWith('/export');
  const isGoogles = file.mimeType.startsWith(GOOGLE);
  if (!file.canDownload)
    return refused(403, 'This file cannot be downloaded by the user.', {
      reason: 'cannotDownloadFile',
    });
  if (!isExport && isGoogles)
    return refused(
      403,
      'Only files with binary content can be downloaded. Use Export with Docs Editors files.',
      { reason: 'fileNotDownloadable', location: 'alt' },
    );
  if (isExport && bytesOf(file).length > exportBytes)
    return refused(403, 'This file is too large to be exported.', {
      reason: 'exportSizeLimitExceeded',
    });
  const exportType = EXPORTED[file.mimeType.slice(GOOGLE.length)];
  if (isExport && !exportType?.includes(url.searchParams.get('mimeType') ?? ''))
    return refused(400, 'The requested conversion is not supported.', {
      reason: 'badRequest',
      location: 'convertTo',
    });
  const body = typeof file.content === 'function' ? file.content() : bytesOf(file);
  return {
    status: 200,
    headers: {
      'content-type': isExport ? (url.searchParams.get('mimeType') ?? '') : file.mimeType,
    },
    body,
  };
}
