/**
 * `npm run pack [-- <folder>]` builds the package `quarry` and writes its archive into the folder, or into the present one.
 *
 * The package is put together in a folder of its own: compiled code without tests, the built dashboard, the embedder, the
 * documentation for the sample, the command (packages/server/bin) and the tool server `quarry-mcp`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildDashboard } from '../packages/ui/tools/build.ts';
import { isDashboardStale } from '../packages/ui/tools/state.ts';
import { answerHelp } from './help.ts';

answerHelp(import.meta.filename);
const [destination = '.'] = process.argv.slice(2);
if (isDashboardStale()) await buildDashboard();
const folder = mkdtempSync(join(tmpdir(), 'quarry-pack-'));
try {
  fill();
  const packed = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(destination)],
    { cwd: folder, encoding: 'utf8' },
  );
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed);
  console.log(
    `${filename}: ${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked, ${entryCount} files`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

function fill(): void {
  for (const part of ['bin', 'models', 'ui'])
    cpSync(`packages/server/${part}`, join(folder, part), { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join('scripts/node', file), join(folder, 'bin/node', file));
  compile();
  cpSync('docs', join(folder, 'docs'), {
    recursive: true,
    filter: (path) => !/\.(png|tsv)$/.test(path),
  });
  for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE']) cpSync(file, join(folder, file));
  const own = JSON.parse(readFileSync('packages/server/package.json', 'utf8'));
  const toolServer = JSON.parse(readFileSync('packages/mcp/package.json', 'utf8'));
  const { 'quarry-mcp': _mcp, 'quarry-text': _text, ...dependencies } = own.dependencies;
  const manifest = {
    ...own,
    dependencies: { ...dependencies, ...toolServer.dependencies },
    imports: {
      '#quarry-mcp': './mcp/server.js',
      '#quarry-mcp/*': './mcp/*.js',
      '#quarry-text/*': './text/*.js',
    },
    exports: { '.': { types: './dist/app.d.ts', default: './dist/app.js' } },
    engines: { node: '>=20' },
    scripts: { postinstall: 'node bin/install-node.mjs' },
    devDependencies: undefined,
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The types are not checked again, because `npm run check` does that. */
function compile(): void {
  const compiled = join(folder, 'compiled');
  execFileSync(
    process.execPath,
    [
      'node_modules/typescript/bin/tsc',
      '-p',
      'packages/server/tsconfig.pack.json',
      '--outDir',
      compiled,
    ],
    { stdio: 'inherit' },
  );
  renameSync(join(compiled, 'server/src'), join(folder, 'dist'));
  for (const part of ['mcp', 'text']) renameSync(join(compiled, part, 'src'), join(folder, part));
  rmSync(compiled, { recursive: true });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
