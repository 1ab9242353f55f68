/**
 * `npm run pack [-- <folder>]` builds the package `quarry` and writes its archive into the folder, or into the present one.
 * Archives of other versions there are removed, because deploy/Dockerfile takes the only one that it finds.
 *
 * The package is put together in a folder of its own: the bundled code (pack/bundle.ts) with the licenses of the packages
 * that it contains and their list (pack/sbom.ts), the types of what it exports (pack/types.ts), the built dashboard, the
 * embedder, the documentation for the sample, the command (packages/server/bin) and the tool server `quarry-mcp`. It depends
 * on no other package.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildDashboard } from '../packages/ui/tools/build.ts';
import { isDashboardStale, LIST } from '../packages/ui/tools/state.ts';
import { answerHelp } from './help.ts';
import { isOtherArchive } from './pack/archives.ts';
import { bundle } from './pack/bundle.ts';
import { noticesOf } from './pack/notices.ts';
import { sbomOf } from './pack/sbom.ts';
import { writeTypes } from './pack/types.ts';

answerHelp(import.meta.filename);
const [destination = '.'] = process.argv.slice(2);
if (isDashboardStale()) await buildDashboard();
const folder = mkdtempSync(join(tmpdir(), 'quarry-pack-'));
try {
  await fill();
  const packed = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(destination)],
    { cwd: folder, encoding: 'utf8' },
  );
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed);
  for (const file of readdirSync(destination))
    if (isOtherArchive(file, filename)) rmSync(join(destination, file));
  console.log(
    `${filename}: ${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked, ${entryCount} files`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

async function fill(): Promise<void> {
  for (const part of ['bin', 'models', 'ui'])
    cpSync(`packages/server/${part}`, join(folder, part), { recursive: true });
  // The stamps are those of the files of this machine.
  rmSync(join(folder, 'ui', LIST));
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join('scripts/node', file), join(folder, 'bin/node', file));
  const notices = noticesOf(await bundle(folder));
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES'), notices);
  writeTypes(join(folder, 'types'), 'packages/server/src/embedded.ts');
  cpSync('docs', join(folder, 'docs'), {
    recursive: true,
    filter: (path) => !/\.(png|tsv)$/.test(path),
  });
  for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE']) cpSync(file, join(folder, file));
  const own = JSON.parse(readFileSync('packages/server/package.json', 'utf8'));
  const ofPages = readFileSync('packages/server/ui/THIRD-PARTY-NOTICES', 'utf8');
  writeFileSync(join(folder, 'sbom.cdx.json'), sbomOf([notices, ofPages], own));
  const manifest = {
    ...own,
    dependencies: undefined,
    devDependencies: undefined,
    imports: {
      '#quarry-mcp/local': './mcp/local.js',
      '#token-vocabulary': './dist/token-vocabulary.cjs',
    },
    exports: { '.': { types: './types/embedded.d.ts', default: './dist/embedded.js' } },
    engines: { node: '>=20' },
    scripts: { postinstall: 'node bin/install-node.mjs' },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
