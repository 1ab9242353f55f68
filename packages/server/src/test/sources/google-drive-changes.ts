/** Lists the changes of My Drive and of each shared drive, from their logs. */
import type { PeerAnswer } from './cloud-peer.ts';
import { badToken, forbidden, noDrive } from './google-drive-refusal.ts';
import type { DriveSettings } from './google-drive-settings.ts';
import type { makeDriveShapes } from './google-drive-shapes.ts';
import { type DriveWorld, type LogEntry, MY } from './google-drive-world.ts';

interface ChangesParts {
  readonly world: DriveWorld;
  readonly settings: DriveSettings;
  readonly shapes: ReturnType<typeof makeDriveShapes>;
}

export function makeDriveChanges({ world, settings, shapes }: ChangesParts) {
  const { files, drives, logs, isMember, mayRead, corpusOf } = world;
  let epoch = 1;

  function changeOf(account: string, corpus: string, { fileId, driveId }: LogEntry, keep: boolean) {
    if (fileId === undefined) {
      const isGone = !drives.has(driveId ?? '') || !isMember(account, driveId ?? '');
      return { changeType: 'drive', driveId, removed: isGone };
    }
    const file = files.get(fileId);
    const isHere = file !== undefined && mayRead(account, file) && corpusOf(file) === corpus;
    const isSeen = file !== undefined && mayRead(account, file) && (isHere || keep);
    return {
      changeType: 'file',
      fileId,
      removed: !isHere,
      ...(isSeen && { file: shapes.resourceOf(account, file) }),
    };
  }

  return {
    startPageToken(url: URL): object {
      const corpus = url.searchParams.get('driveId') ?? MY;
      return { startPageToken: `${epoch}.${logs.get(corpus)?.length ?? 0}` };
    },
    list(account: string, url: URL): PeerAnswer | object {
      const corpus = url.searchParams.get('driveId') ?? MY;
      if (settings.forbidden.has(corpus)) return forbidden();
      if (corpus !== MY && !(drives.has(corpus) && isMember(account, corpus)))
        return noDrive(corpus);
      const entries = logs.get(corpus) ?? [];
      const [, at = '', from = ''] =
        /^(\d+)\.(\d+)$/.exec(url.searchParams.get('pageToken') ?? '') ?? [];
      if (Number(at) !== epoch || from === '' || Number(from) > entries.length) return badToken();
      const keep = url.searchParams.get('includeCorpusRemovals') === 'true';
      const asked = Number(url.searchParams.get('pageSize') ?? 100);
      const to = Math.min(entries.length, Number(from) + Math.min(settings.largestPage, asked));
      // A later entry replaces an earlier entry of the same item.
      const latest = new Map(
        entries.slice(Number(from), to).map((entry) => [entry.fileId ?? entry.driveId, entry]),
      );
      const isLast = to === entries.length;
      return {
        changes: [...latest.values()].map((entry) => changeOf(account, corpus, entry, keep)),
        ...(isLast ? { newStartPageToken: `${epoch}.${to}` } : { nextPageToken: `${epoch}.${to}` }),
      };
    },
    /** The places in logs that were given out so far become invalid. */
    forget(): void {
      epoch++;
    },
  };
}
