/** Reads the texts and files behind stubs. Texts of several messages come with one command, files piece by piece. */
import { tooLarge, tooMuchText } from '../../documents/kinds.ts';
import { decodeMail, withoutTransferEncoding } from '../../documents/mail/decode.ts';
import type { TextPart } from '../../documents/mail/structure.ts';
import { SourceError } from '../../errors.ts';
import { groupedBySize } from '../../util.ts';
import type { Downloads } from '../downloads.ts';
import { fail, type LeftOut, type Stub, skip, type Upsert, upsert } from '../items.ts';
import { downloadFile, LeftOutFile } from '../kit/file.ts';
import { withTexts } from '../mail/text.ts';
import type { CarriedMail } from './message.ts';
import type { ImapSession } from './session.ts';

/** Texts of about this many bytes are in memory at once. */
const BYTES_AT_ONCE = 4 * 1024 * 1024;

type ReadContent = Upsert | LeftOut;
interface ToRead {
  readonly stub: Stub;
  readonly carried: CarriedMail;
}

export async function* readContents(
  session: ImapSession,
  stubs: readonly Stub[],
  downloads: Downloads,
): AsyncGenerator<ReadContent, void, void> {
  const all = stubs.map((stub): ToRead => ({ stub, carried: stub.carry as CarriedMail }));
  const places = Map.groupBy(all, ({ carried: { path, validity } }) =>
    JSON.stringify([path, validity]),
  );
  for (const inPlace of places.values()) yield* readPlace(session, inPlace, downloads);
}

async function* readPlace(
  session: ImapSession,
  all: readonly ToRead[],
  downloads: Downloads,
): AsyncGenerator<ReadContent, void, void> {
  const open = await openPlace(session, all);
  if (open instanceof SourceError) {
    for (const { stub } of all) yield fail(stub.id, stub.type, open);
    return;
  }
  const withTexts: ToRead[] = [];
  for (const one of all) {
    const { carried, stub } = one;
    const omission = tooLargeText(carried.texts);
    if (carried.file && !carried.file.message) yield await readFile(session, one, downloads);
    else if (omission) yield skip(stub.id, stub.type, { ...omission, removes: 'record' });
    else withTexts.push(one);
  }
  // Messages whose texts have the same numbers can be asked for together.
  const alike = Map.groupBy(withTexts, ({ carried }) =>
    carried.texts.map(({ part }) => part).join(),
  );
  for (const some of alike.values())
    for (const group of groupedBySize(some, sizeOf, BYTES_AT_ONCE))
      yield* readTexts(session, group);
}

const sizeOf = ({ carried }: ToRead) => carried.texts.reduce((sum, { size }) => sum + size, 0);

const tooLargeText = (texts: readonly TextPart[]) =>
  tooLarge(
    'plain',
    texts.reduce((sum, { size }) => sum + size, 0),
  );

/** Returns the error of a mailbox that is not what it was when the messages were listed. */
async function openPlace(
  session: ImapSession,
  [first]: readonly ToRead[],
): Promise<SourceError | null> {
  const { path = '', validity } = first?.carried ?? {};
  try {
    const box = await session.stayIn(path);
    return box.validity === validity ? null : goneError();
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip') return error;
    throw error;
  }
}

const goneError = () =>
  new SourceError('skip', 'the message is no longer in its folder', {
    hint: 'It was moved or deleted while the sync ran. The next sync finds it where it is.',
  });

async function* readTexts(
  session: ImapSession,
  group: readonly ToRead[],
): AsyncGenerator<ReadContent, void, void> {
  const parts = group[0]?.carried.texts.map(({ part }) => part) ?? [];
  const uids = [...new Set(group.map(({ carried }) => carried.uid))].toSorted((a, b) => a - b);
  const answers =
    parts.length === 0 ? [] : await session.askFor(uids, { uid: true, bodyParts: parts });
  const bodies = new Map(answers.map(({ uid, bodyParts }) => [uid, bodyParts]));
  for (const { stub, carried } of group) {
    const body = bodies.get(carried.uid);
    if (parts.length > 0 && !parts.every((part) => body?.has(part)))
      yield fail(stub.id, stub.type, goneError());
    else yield withText(stub, carried, (part) => body?.get(part) ?? Buffer.alloc(0));
  }
}

function withText(
  stub: Stub,
  carried: CarriedMail,
  bytesOf: (part: string) => Buffer,
): ReadContent {
  const { version, partition } = stub;
  const complete = withTexts(
    carried.entity,
    carried.texts.map((text) => ({ ...text, content: decoded(text, bytesOf(text.part)) })),
  );
  const omission = tooMuchText(complete.text);
  return omission
    ? skip(stub.id, stub.type, { ...omission, removes: 'record' })
    : upsert(complete, { version, partition });
}

function decoded({ charset, encoding }: TextPart, bytes: Buffer): string {
  const raw = withoutTransferEncoding(bytes, encoding);
  return decodeMail(raw, charset);
}

async function readFile(
  session: ImapSession,
  { stub, carried: { entity, uid, file } }: ToRead,
  downloads: Downloads,
): Promise<ReadContent> {
  const { version, partition } = stub;
  const { part, name, size } = file as NonNullable<CarriedMail['file']>;
  try {
    const content = await downloadFile(downloads, { name, size }, async (sink) => {
      const take = await sink();
      await session.download({ uid, part }, take);
    });
    return upsert({ ...entity, file: content }, { version, partition });
  } catch (error) {
    if (error instanceof LeftOutFile)
      return skip(stub.id, stub.type, { ...error.omission, removes: 'record' });
    if (error instanceof SourceError && error.kind === 'skip')
      return fail(stub.id, stub.type, error);
    throw error;
  }
}
