/** Reads the contents behind stubs: the bodies of pages, several with one request, and files. */
import { SourceError } from '../../errors.ts';
import { RequestFailure } from '../../net/request.ts';
import { chunked } from '../../util.ts';
import { fail, type LeftOut, type Stub, skip, type Upsert, upsert } from '../items.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import { ahead, eachOf } from '../kit/listing.ts';
import { NotFound } from '../kit/refusal.ts';
import { type AttachmentAnswer, ContentAnswer, type ThreadComment } from './answer.ts';
import { contentAt, LISTINGS, type ListedKind, listAt, v1PathOf } from './api.ts';
import { contentOf } from './comments.ts';
import type { CarriedAnswer } from './reader.ts';
import { ofAttachment, ofComment, ofContent } from './records.ts';
import { mentionsIn } from './storage.ts';

const CONCURRENCY = 4;
/** Bodies are long, and an answer has a limit. */
const MAX_BODIES = 25;

type Hydrated = AsyncGenerator<Upsert | LeftOut, void, void>;
const carried = ({ carry }: Stub) => carry as CarriedAnswer;

export async function* hydrate(stubs: readonly Stub[]): Hydrated {
  const of = (...kinds: readonly ListedKind[]) =>
    stubs.filter((one) => kinds.includes(carried(one).kind));
  for (const kind of ['page', 'blogpost'] as const) yield* contents(kind, of(kind));
  yield* comments(of('footer', 'inline'));
  yield* eachOf(of('attachment'), CONCURRENCY, attachment);
}

async function* contents(kind: 'page' | 'blogpost', stubs: readonly Stub[]): Hydrated {
  const groups = chunked(stubs, MAX_BODIES);
  for await (const items of ahead(groups, CONCURRENCY, (some) => readSome(kind, some)))
    yield* items;
}

async function readSome(
  kind: 'page' | 'blogpost',
  stubs: readonly Stub[],
): Promise<(Upsert | LeftOut)[]> {
  const [first] = stubs;
  if (!first) return [];
  const { site, people } = carried(first);
  const query = {
    ...{ id: stubs.map((one) => carried(one).listed.id), 'body-format': 'storage' },
    limit: MAX_BODIES,
  };
  const found = new Map<string, ContentAnswer>();
  try {
    const request = { path: LISTINGS[kind].path, query };
    for await (const { page } of listAt(site, request, { item: ContentAnswer }))
      for (const answer of page) found.set(answer.id, answer);
    for (const one of stubs) {
      const { id } = carried(one).listed;
      const answer = found.has(id) ? null : await contentAt(site, { kind, id, format: 'storage' });
      if (answer) found.set(id, answer);
    }
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    const [one] = stubs;
    if (stubs.length === 1 && one) return [skip(one.id, one.type, TOO_LONG)];
    const half = Math.ceil(stubs.length / 2);
    return [
      ...(await readSome(kind, stubs.slice(0, half))),
      ...(await readSome(kind, stubs.slice(half))),
    ];
  }
  const answers = [...found.values()];
  await people.load(
    answers.flatMap((one) => [one.authorId, one.version.authorId, ...mentionsIn(one.body)]),
  );
  return stubs.map((one) => {
    const { listed, place } = carried(one);
    const answer = found.get(listed.id);
    if (!answer) return fail(one.id, one.type, GONE);
    return upsert(ofContent(kind, answer, { listed, place, people }), {
      version: one.version,
      partition: one.partition,
    });
  });
}

const GONE = new NotFound('skip', 'Confluence no longer shows it');
const TOO_LONG = { reason: 'too large', removes: 'record' } as const;
const isTooLarge = (error: unknown): boolean =>
  error instanceof SourceError &&
  error.cause instanceof RequestFailure &&
  error.cause.fault === 'too_large';

async function* comments(stubs: readonly Stub[]): Hydrated {
  const people = stubs[0] && carried(stubs[0]).people;
  const answers = stubs.map((one) => carried(one).listed as ThreadComment);
  await people?.load(
    answers.flatMap(({ version, body }) => [version.authorId, ...mentionsIn(body)]),
  );
  for (const { carry, version, partition } of stubs) {
    const { kind, listed, ...around } = carry as CarriedAnswer;
    if (kind === 'footer' || kind === 'inline')
      yield upsert(ofComment(kind, listed as ThreadComment, around), { version, partition });
  }
}

/** The address of a file in its record is for people. Apps take this one, which leads to another host. */
function attachment(found: Stub): Promise<Upsert | LeftOut> {
  const { carry, version, partition } = found;
  const { site, people, listed, place } = carry as CarriedAnswer;
  const answer = listed as AttachmentAnswer;
  const { title, fileSize, id } = answer;
  const more = `/child/attachment/${encodeURIComponent(id)}/download`;
  const path = `${site.at}${v1PathOf('content', contentOf(answer)?.id ?? '', more)}`;
  return fileOrSkip(found, { service: 'Confluence' }, async () => {
    const file = await site.http.file({ path }, { name: title, size: fileSize });
    await people.load([answer.version.authorId]);
    return upsert(ofAttachment(answer, { place, people, file }), { version, partition });
  });
}
