/** Reads the contents behind stubs: files, and pages whose place has changed. */
import { type LeftOut, type Stub, stub, type Upsert, upsert } from '../items.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import { eachOf } from '../kit/listing.ts';
import { NotFound } from '../kit/refusal.ts';
import { NotionBlock, NotionPage } from './answer.ts';
import { find, pathOf } from './api.ts';
import { fileInBlock, filesInProperties, type HostedFile } from './hosted.ts';
import {
  filesOf,
  type NotionReader,
  ofDataSource,
  ofFile,
  type PlacedPage,
  type PlacedSource,
  placeDigest,
  readPage,
  TYPES,
} from './records.ts';

export const CONCURRENCY = 3;

/** A stub of a page, or of a file below it, carries this. */
export interface CarriedPage {
  readonly reader: NotionReader;
  readonly placed: PlacedPage;
}
/** The stub of a data source carries everything that a listing shows of it. */
export interface CarriedSource {
  readonly reader: NotionReader;
  readonly source: PlacedSource;
}

/**
 * A block that has just been edited may show another content within the same minute. So its file is read in any case
 * while it has not settled, and once more when it has.
 */
export const fileStub = (
  { id, digest }: Pick<HostedFile, 'id' | 'digest'>,
  carry: CarriedPage,
  hasSettled = true,
) =>
  stub(id, 'NotionFile', {
    version: `${digest} ${placeDigest(carry.placed)}${hasSettled ? '' : ' not settled'}`,
    partition: filesOf(carry.placed.found.id),
    carry,
    isAgain: !hasSettled,
  });

export const hydrate = (stubs: readonly Stub[]): AsyncIterable<Upsert | LeftOut> =>
  eachOf(stubs, CONCURRENCY, async (one) => {
    const carry = one.carry as CarriedPage | CarriedSource;
    if ('source' in carry)
      return upsert(await ofDataSource(carry.reader, carry.source), { version: one.version });
    if (one.type !== TYPES.page)
      return fileOrSkip(one, { service: 'Notion' }, () => readFile(one, carry));
    const { entity } = await readPage(carry.reader, carry.placed);
    return upsert(entity, { version: one.version });
  });

/** The address of a file ends after an hour, so Notion is asked for a new one. */
async function readFile(
  { id, version, partition }: Stub,
  { reader: { http }, placed }: CarriedPage,
): Promise<Upsert> {
  const file = await (id.startsWith(`${placed.found.id}/`) ? inProperties() : inBlock());
  if (!file) throw new NotFound('skip', 'Notion no longer has the file');
  const { name, url } = file;
  const content = await http.file({ path: url, isUnsigned: true }, { name });
  return upsert(ofFile(file, placed, content), { version, partition });

  async function inBlock() {
    const block = await find(http, pathOf('blocks', id), NotionBlock);
    return block ? fileInBlock(block) : undefined;
  }
  async function inProperties() {
    const page = await find(http, pathOf('pages', placed.found.id), NotionPage);
    return page ? filesInProperties(page).find((one) => one.id === id) : undefined;
  }
}
