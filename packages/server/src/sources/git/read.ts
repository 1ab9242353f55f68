/** Makes the records of files that are new or have changed. */
import { basename } from 'node:path/posix';
import { z } from 'zod';
import { reasonToLeaveOut } from '../../documents/kinds.ts';
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import type { SourceContext } from '../define.ts';
import { fail, type LeftOut, type Stub, skip, type Upsert, upsert } from '../items.ts';
import { downloadFile } from '../kit/file.ts';
import type { GitConfig } from './config.ts';
import { languageOf } from './language.ts';
import type { GitObjects } from './objects.ts';
import { nameOfRemote } from './remote.ts';
import type { GitRepository } from './repository.ts';

export const TYPE = 'GitFile';

export const GitFile = z.object({
  repository: z.string().meta({ title: 'Repository', description: 'Name of the repository.' }),
  branch: z.string().meta({ title: 'Branch', description: 'Branch of the file.' }),
  path: z
    .string()
    .meta({ title: 'Path', description: 'Path within the repository, separated by /.' }),
  language: z
    .string()
    .nullable()
    .meta({ title: 'Language', description: 'Programming language, by the extension.' }),
  sha: z.string().meta({ title: 'SHA', description: 'SHA of the content.' }),
});

/** `hydrate` gets this with the stub. */
export interface ListedFile {
  readonly repository: GitRepository;
  readonly branch: string;
  readonly oid: string;
  readonly isNamed: boolean;
}

/** A record shows the branch and the address, so it is written again when one of these changes. */
export const versionOf = (
  oid: string,
  { branch, config }: { readonly branch: string; readonly config: GitConfig },
): string => `${oid} ${branch} ${config.file_url ?? ''}`;

/** Git LFS stores a short text in place of the content (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md). */
const POINTER = 'version https://git-lfs.github.com/spec/v1\n';
const MAX_POINTER_BYTES = 1024;

type ReadContext = Pick<
  SourceContext<GitConfig, unknown>,
  'config' | 'downloads' | 'signal' | 'meter'
>;

export async function* readFiles(
  ctx: ReadContext,
  stubs: readonly Stub[],
): AsyncGenerator<Upsert | LeftOut, void, void> {
  for (const [repository, some] of Map.groupBy(
    stubs,
    ({ carry }) => (carry as ListedFile).repository,
  ))
    yield* readFrom(repository, some, ctx);
}

async function* readFrom(
  repository: GitRepository,
  stubs: readonly Stub[],
  ctx: ReadContext,
): AsyncGenerator<Upsert | LeftOut, void, void> {
  await using objects = repository.open();
  const missing = new Set<string>();
  for (const stub of stubs) {
    const { oid } = stub.carry as ListedFile;
    if ((await objects.size(oid)) === null) missing.add(oid);
  }
  if (missing.size > 0) await repository.fetchContents([...missing]);
  for (const stub of stubs) {
    ctx.signal.throwIfAborted();
    yield await readOne(stub, objects, ctx);
  }
}

async function readOne(
  { id, type, version, partition, carry }: Stub,
  objects: GitObjects,
  { config, downloads, meter }: ReadContext,
): Promise<Upsert | LeftOut> {
  const { branch, oid, isNamed } = carry as ListedFile;
  const name = basename(id);
  const size = await objects.size(oid);
  if (size === null)
    return fail(id, type, new SourceError('skip', 'the server has not sent its content'));
  const omission = reasonToLeaveOut(name, size) ?? (await pointerReason(objects, oid, size));
  // Searches must no longer find what the file was before.
  if (omission) return skip(id, type, { ...omission, removes: 'record' });
  meter.bytes += size;
  const file = await downloadFile(downloads, { name, size }, async (sink) => {
    const take = await sink();
    for await (const piece of objects.contents(oid)) await take(piece);
  });
  const repository = nameOfRemote(config.url);
  const entity: Entity = {
    id,
    type,
    name,
    text: '',
    file: { ...file, isNamed },
    context: id,
    url: config.file_url && addressOf(config.file_url, branch, id),
    breadcrumbs: breadcrumbsOf(repository, id),
    fields: {
      repository,
      branch,
      path: id,
      language: languageOf(id),
      sha: oid,
    } satisfies z.infer<typeof GitFile>,
  };
  return upsert(entity, { partition, version });
}

async function pointerReason(objects: GitObjects, oid: string, size: number) {
  if (size > MAX_POINTER_BYTES) return null;
  const pieces: Buffer[] = [];
  for await (const piece of objects.contents(oid)) pieces.push(piece);
  return Buffer.concat(pieces).toString().startsWith(POINTER)
    ? { reason: 'whose contents are in Git LFS' }
    : null;
}

const addressOf = (template: string, branch: string, path: string): string =>
  template.replaceAll('{branch}', () => encoded(branch)).replaceAll('{path}', () => encoded(path));

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');

function breadcrumbsOf(repository: string, path: string) {
  const folders = path.split('/').slice(0, -1);
  return [
    { id: repository, name: repository, type: 'repository' },
    ...folders.map((name, i) => ({
      id: folders.slice(0, i + 1).join('/'),
      name,
      type: 'folder',
    })),
  ];
}
