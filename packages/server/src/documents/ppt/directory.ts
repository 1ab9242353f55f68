/** Finds the places of slides in the stream of a presentation (MS-PPT, section 2.1.2). */
import { SourceError } from '../../errors.ts';
import type { CompoundStorage } from '../compound/file.ts';
import { numberAt, type PptRecord, recordsAt } from './records.ts';

const USER_EDIT = 0x0ff5;
const DIRECTORY = 0x1772;
const ENCRYPTED = 0xf3d1c4df;
/** A presentation is edited less often than this. */
const MAX_EDITS = 10_000;
const MAX_PLACES = 100_000;

export interface PptDirectory {
  readonly stream: Buffer;
  /** This is the number of the document itself. */
  readonly document: number;
  /** Maps the numbers of objects to their offsets in the stream. */
  readonly offsets: ReadonlyMap<number, number>;
}

/** Throws a SourceError 'skip' for a presentation that is broken or protected. */
export function directoryOf({ streams }: CompoundStorage): PptDirectory {
  const stream = streams.get('POWERPOINT DOCUMENT')?.read();
  const user = streams.get('CURRENT USER')?.read();
  if (!stream || !user || user.length < 20) throw notSlides();
  if (user.readUInt32LE(12) === ENCRYPTED)
    throw new SourceError('skip', 'the presentation is protected by a password', {
      hint: 'Store a copy without the password.',
    });
  const offsets = new Map<number, number>();
  let document: number | null = null;
  let edit: number | null = user.readUInt32LE(16);
  // Each edit leads to the one before it, whose places count only where no newer one is.
  for (let i = 0; i < MAX_EDITS && edit; i++) {
    const found: PptRecord | null = recordAt(stream, edit, USER_EDIT);
    if (!found) break;
    document ??= numberAt(found, 16);
    const directory = recordAt(stream, numberAt(found, 12) ?? 0, DIRECTORY);
    if (directory) addPlaces(offsets, directory);
    edit = numberAt(found, 8);
  }
  if (document === null) throw notSlides();
  return { stream, document, offsets };
}

function recordAt(stream: Buffer, offset: number, type: number): PptRecord | null {
  const [found] = recordsAt(stream, offset);
  return found?.type === type ? found : null;
}

/** A directory has runs of offsets, each with the number of its first object and its length. */
function addPlaces(offsets: Map<number, number>, { content }: PptRecord): void {
  for (let at = 0; at + 4 <= content.length; ) {
    const run = content.readUInt32LE(at);
    const first = run & 0xfffff;
    const length = run >>> 20;
    at += 4;
    for (let i = 0; i < length && at + 4 <= content.length; i++, at += 4)
      if (!offsets.has(first + i) && offsets.size < MAX_PLACES)
        offsets.set(first + i, content.readUInt32LE(at));
  }
}

const notSlides = (): SourceError =>
  new SourceError('skip', 'the file is broken or is not a presentation of PowerPoint', {
    hint: 'Open it in PowerPoint or LibreOffice, and save a copy as PPTX or PDF.',
  });
