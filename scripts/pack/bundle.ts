/**
 * Bundles the code of Quarry with the packages that it uses, so that an installation unpacks one archive instead of two
 * hundred, and a start opens tens of files instead of thousands.
 *
 * A file that a process or a thread of its own runs keeps its name, because others start it by that name
 * (installation.ts). What several files share is in further files of `dist`.
 */
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { type OutputChunk, type RolldownOptions, rolldown } from 'rolldown';

const SERVER = 'packages/server/src';

const SERVICE = {
  'dist/main.js': `${SERVER}/main.ts`,
  'dist/embedded.js': `${SERVER}/embedded.ts`,
  'dist/threads/worker-thread.js': `${SERVER}/threads/worker-thread.ts`,
  'dist/threads/chunk-thread.js': `${SERVER}/threads/chunk-thread.ts`,
  'dist/threads/search-thread.js': `${SERVER}/threads/search-thread.ts`,
  'mcp/main.js': 'packages/mcp/src/main.ts',
  'mcp/local.js': 'packages/mcp/src/local.ts',
};
/** These files run in limited processes, which may read little else. */
const LIMITED = {
  'dist/sandbox/watchdog.js': `${SERVER}/sandbox/watchdog.ts`,
  'dist/sandbox/lockdown.js': `${SERVER}/sandbox/lockdown.ts`,
  'dist/documents/extract-child.js': `${SERVER}/documents/extract-child.ts`,
  'dist/transformers/child.js': `${SERVER}/transformers/child.ts`,
};
const COMMAND = { 'quarry.mjs': 'packages/server/bin/quarry.mjs' };
/** The command loads the files beside it and the code of the service only when it has found a Node. */
const BESIDE = /^\.\.?\//;
/** `pg` uses this package only where somebody has installed it. */
const OPTIONAL = ['pg-native'];

/** The main file of this package is in the form of UMD, in which no bundler sees what it requires. */
const ALIAS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

/** The code reads these files as they are. The names are those by which the service finds them in the repository. */
const DATA = {
  '@hyzyla/pdfium/pdfium.wasm': 'dist/sandbox/pdfium.wasm',
  '#token-vocabulary': 'dist/token-vocabulary.cjs',
};

/** Writes the bundle into the folder of the package. Returns the files that are in it, by their paths. */
export async function bundle(folder: string): Promise<ReadonlySet<string>> {
  const chunks = [
    ...(await write(folder, { input: SERVICE, external: OPTIONAL }, 'dist/[name]-[hash].js')),
    ...(await write(folder, { input: LIMITED }, 'dist/sandbox/[name]-[hash].js')),
    ...(await write(join(folder, 'bin'), { input: COMMAND, external: BESIDE }, '[name].mjs')),
  ];
  const service = createRequire(resolve(SERVER));
  const data = Object.entries(DATA).map(([name, to]) => ({ from: service.resolve(name), to }));
  for (const { from, to } of data) copyFileSync(from, join(folder, to));
  const ours = chunks.find(({ moduleIds }) =>
    moduleIds.some((id) => id.endsWith('/installation.ts')),
  );
  // The module finds all other files from the place of its own.
  if (!ours || !/^dist\/[^/]+$/.test(ours.fileName))
    throw new Error(
      `installation.ts is bundled in ${ours?.fileName}, and must be directly in dist`,
    );
  return new Set([
    ...chunks.flatMap(({ moduleIds }) => moduleIds),
    ...data.map(({ from }) => from),
  ]);
}

async function write(
  folder: string,
  options: RolldownOptions,
  shared: string,
): Promise<OutputChunk[]> {
  await using build = await rolldown({
    ...options,
    platform: 'node',
    resolve: { conditionNames: ['quarry', 'node'], alias: ALIAS },
    onLog(_level, { code, message }) {
      // The package depends on no others, so what is not found now would be missing when it runs.
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
    },
  });
  const { output } = await build.write({
    dir: folder,
    entryFileNames: '[name]',
    chunkFileNames: shared,
    comments: false,
  });
  return output.filter((one) => one.type === 'chunk');
}
