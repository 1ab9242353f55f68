/**
 * A registry of npm on this machine, which has the packages that are installed in this project. With it a package is
 * installed as on a new machine, without the internet.
 * https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ARCHIVE_BYTES = 200 * 2 ** 20;

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

export interface LocalRegistry {
  readonly url: string;
  /** The names of the packages that were asked for. */
  readonly asked: ReadonlySet<string>;
  close(): Promise<void>;
}

/** The folder `root` has a package-lock.json, and its packages in node_modules. */
export async function openRegistry(root: string): Promise<LocalRegistry> {
  const folders = foldersByName(root);
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    answer(decodeURIComponent(request.url ?? '')).then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      (error: Error) => response.writeHead(404).end(JSON.stringify({ error: error.message })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** The path is that of a package, as in /@scope/name, or that of an archive below it, as in /name/-/1.2.3.tgz. */
  async function answer(path: string): Promise<{ type: string; body: string | Buffer }> {
    const [name = '', file] = path.slice(1).split('/-/');
    const versions = folders.get(name);
    if (!versions) throw new Error(`${name} is not installed in this project`);
    asked.add(name);
    if (file === undefined) return { type: 'application/json', body: metadataOf(name, versions) };
    const folder = versions.get(file.slice(0, -'.tgz'.length));
    if (folder === undefined) throw new Error(`${name} has no ${file}`);
    return { type: 'application/octet-stream', body: await archiveOf(folder) };
  }

  function metadataOf(name: string, versions: ReadonlyMap<string, string>): string {
    const described = [...versions].map(([version, folder]) => {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return [version, { ...manifest, dist: { tarball: `${url}/${name}/-/${version}.tgz` } }];
    });
    const latest = [...versions.keys()].at(-1);
    return JSON.stringify({
      name,
      'dist-tags': { latest },
      versions: Object.fromEntries(described),
    });
  }

  return {
    url,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the folders of each package by its name and its version. */
function foldersByName(root: string): Map<string, Map<string, string>> {
  const lock: LockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const folders = new Map<string, Map<string, string>>();
  for (const [path, { version }] of Object.entries(lock.packages)) {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (name === undefined || version === undefined) continue;
    const versions = folders.get(name) ?? new Map<string, string>();
    folders.set(name, versions.set(version, join(root, path)));
  }
  return folders;
}

/** Packages lie in the folder `package` of their archive, and what is installed below them is of other packages. */
async function archiveOf(folder: string): Promise<Buffer> {
  const { stdout } = await run(
    'tar',
    ['-cz', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', folder, '.'],
    { encoding: 'buffer', maxBuffer: ARCHIVE_BYTES },
  );
  return stdout;
}
