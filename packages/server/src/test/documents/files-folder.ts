/** Makes a folder for every test of a file, and the files source on it. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach } from 'node:test';
import pino from 'pino';
import { directAuthorizer } from '../../sign-in/authorizer.ts';
import { files } from '../../sources/catalog/files.ts';
import { openContext, type PullContext, type SourceEnvironment } from '../../sources/define.ts';
import { openDownloads } from '../../sources/downloads.ts';
import type { LeftOut, SourceItem, Stub, Upsert } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { anywhere } from '../environment.ts';

export interface Options {
  readonly config?: object;
  readonly signal?: AbortSignal;
  readonly allowPath?: (path: string) => Promise<string>;
  readonly ownFiles?: SourceEnvironment['ownFiles'];
}

export function filesFolder() {
  let top = '';
  let root = '';
  let made = 0;
  before(async () => {
    top = await realpath(await mkdtemp(join(tmpdir(), 'quarry-files-')));
  });
  beforeEach(async () => {
    root = join(top, `case-${made++}`, 'root');
    await mkdir(root, { recursive: true });
  });
  after(() => rm(top, { recursive: true, force: true }));

  const context = ({
    config = {},
    ...rest
  }: Options = {}): PullContext<unknown, unknown, unknown> =>
    openContext(files, {
      config: { path: root, ...config },
      credentials: null,
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
      meter: { requests: 0, bytes: 0 },
      ...anywhere,
      downloads: openDownloads(anywhere.downloadsFolder),
      authorizer: directAuthorizer(files, { config: null, credentials: null }),
      cursor: null,
      lastCursor: null,
      cursorField: null,
      bookmark: null,
      ...rest,
    });
  const pull = async (options?: Options): Promise<SourceItem[]> =>
    collect(must(files.pull)(context(options)));

  return {
    get root() {
      return root;
    },
    async write(path: string, content: string | Buffer = 'text'): Promise<void> {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    context,
    pull,
    hydrate: async (stubs: readonly Stub[], ctx = context()): Promise<(Upsert | LeftOut)[]> =>
      collect(must(files.hydrate)(ctx, stubs)),
    ids: async (options?: Options) => stubsOf(await pull(options)).map(({ id }) => id),
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const stubsOf = (items: readonly SourceItem[]) =>
  items.filter((item) => item.kind === 'stub');

export const leftOut = (items: readonly SourceItem[]) =>
  items.flatMap((item) => (item.kind === 'skip' || item.kind === 'fail' ? [whyNot(item)] : []));

/** Returns the kind, the id and the reason of this item, and its detail if it has one. */
export const whyNot = ({ kind, id, reason, detail }: LeftOut): string[] => [
  kind,
  id,
  reason,
  ...(detail === null ? [] : [detail]),
];

export const configError = (message: string) => ({ name: 'SourceError', kind: 'config', message });
