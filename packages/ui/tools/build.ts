/** `npm run build:ui` builds the dashboard into the folder from which the service serves it. */
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { noticesOf } from '../../../scripts/pack/notices.ts';
import { BUILT, dashboardStamps, LIST } from './state.ts';

const SOURCE = dirname(dirname(fileURLToPath(import.meta.url)));

/** Files of these kinds are compressed once, when they are built, and not at each request. */
const TEXT = /\.(html|js|css|svg)$/;

export async function buildDashboard(): Promise<void> {
  // A folder beside the old one takes its place at once, so that the service never serves half a build.
  const next = mkdtempSync(join(dirname(BUILT), 'ui-'));
  try {
    // The service may run as another user than who builds.
    chmodSync(next, 0o755);
    // They are those from before the build, so that a file that is changed meanwhile has it built again.
    const stamps = dashboardStamps();
    const built = await build({
      ...{ root: SOURCE, logLevel: 'warn' },
      build: { outDir: next, emptyOutDir: true },
    });
    const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
    const modules = outputs.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []));
    writeFileSync(join(next, 'THIRD-PARTY-NOTICES'), noticesOf(modules));
    for (const file of globSync('**/*', { cwd: next }))
      if (TEXT.test(file)) compress(join(next, file));
    writeFileSync(join(next, LIST), JSON.stringify(stamps));
    rmSync(BUILT, { recursive: true, force: true });
    renameSync(next, BUILT);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

function compress(path: string): void {
  const content = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}

if (import.meta.main) await buildDashboard();
