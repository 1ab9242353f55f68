/**
 * Bundles the code of Quarry with the packages that it uses, so that an installation unpacks one archive instead of two
 * hundred, and a start opens tens of files instead of thousands.
 *
 * A file that a process or a thread of its own runs keeps its name, because others start it by that name
 * (installation.ts). What several files share is in further files of `dist`.
 */
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { type OutputChunk, type RolldownOptions, type RolldownPlugin, rolldown } from 'rolldown';

const SERVER = 'packages/server/src';

const SERVICE = [
  'main',
  'threads/worker-thread',
  'threads/chunk-thread',
  'threads/search-thread',
  'threads/push-thread',
] as const;
const PACKAGE = {
  ...codeOf('dist/', [...SERVICE, 'embedded']),
  'mcp/main.js': 'packages/mcp/src/main.ts',
  'mcp/local.js': 'packages/mcp/src/local.ts',
};
/** These files run in limited processes, which may read little else. */
const LIMITED = [
  'sandbox/watchdog',
  'sandbox/lockdown',
  'documents/extract-child',
  'transformers/child',
] as const;
const COMMAND = { 'quarry.mjs': 'packages/server/bin/quarry.mjs' };
/** The command loads the files beside it and the code of the service only when it has found a Node. */
const BESIDE = /^\.\.?\//;
/** `pg` uses this package only where somebody has installed it. */
const OPTIONAL = ['pg-native'];

/** The main file of this package is in the form of UMD, in which no bundler sees what it requires. */
const ALIAS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

/** The code reads these files as they are. The names are those by which the service finds them in the repository. */
const DATA = {
  '@hyzyla/pdfium/pdfium.wasm': 'sandbox/pdfium.wasm',
  '#token-vocabulary': 'token-vocabulary.cjs',
};

/** Writes the bundle into the folder of the package. Returns the files that are in it, by their paths. */
export async function bundle(folder: string): Promise<ReadonlySet<string>> {
  const chunks = [
    ...(await writeCode(folder, { service: PACKAGE, below: 'dist/' })),
    ...(await write(join(folder, 'bin'), { input: COMMAND, external: BESIDE }, '[name].mjs')),
  ];
  return new Set([...chunks.flatMap(({ moduleIds }) => moduleIds), ...dataFiles().keys()]);
}

/** Writes what a service of a clone runs directly into the folder. Each file is named to `willRead` before it is read. */
export async function bundleService(
  folder: string,
  willRead: (path: string) => void,
): Promise<void> {
  for (const path of dataFiles().keys()) willRead(path);
  const plugin: RolldownPlugin = {
    name: 'will-read',
    load(id) {
      willRead(id);
    },
  };
  await writeCode(folder, { service: codeOf('', SERVICE), below: '', plugins: [plugin] });
}

interface Code {
  readonly service: Readonly<Record<string, string>>;
  /** The code is in this folder of the bundle. */
  readonly below: string;
  readonly plugins?: readonly RolldownPlugin[];
}

async function writeCode(
  folder: string,
  { service, below, plugins = [] }: Code,
): Promise<OutputChunk[]> {
  const [ofService, ofLimited] = [
    { input: service, external: OPTIONAL, plugins: [...plugins] },
    { input: codeOf(below, LIMITED), plugins: [...plugins] },
  ];
  const chunks = [
    ...(await write(folder, ofService, `${below}[name]-[hash].js`)),
    ...(await write(folder, ofLimited, `${below}sandbox/[name]-[hash].js`)),
  ];
  for (const [from, to] of dataFiles()) copyFileSync(from, join(folder, below, to));
  const ours = chunks.find(({ moduleIds }) =>
    moduleIds.some((id) => id.endsWith('/installation.ts')),
  );
  // The module finds all other files from the place of its own.
  if (ours?.fileName !== `${below}${basename(ours?.fileName ?? '')}`)
    throw new Error(`installation.ts is in ${ours?.fileName}, and must be directly in '${below}'`);
  return chunks;
}

function codeOf(code: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${code}${name}.js`, `${SERVER}/${name}.ts`]));
}

/** Returns the paths of the data, with the names that they get in the folder of the code. */
function dataFiles(): ReadonlyMap<string, string> {
  const service = createRequire(resolve(SERVER));
  return new Map(Object.entries(DATA).map(([name, to]) => [service.resolve(name), to]));
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
