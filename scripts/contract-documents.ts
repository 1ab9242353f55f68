/** Takes vendors' documents from the npm registry into a folder. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Origin } from '../packages/server/src/test/contracts/contract.ts';

/** Packs the package of the document, or makes the document of the types in the package. */
export function fetchDocument(origin: Origin, types: readonly string[], folder: string): void {
  const { npm, generated, file } = origin;
  if (!npm) throw new Error(`no package has the document of ${origin.address}`);
  if (!generated) {
    run('npm', ['pack', '--silent', '--pack-destination', folder, npm]);
    return;
  }
  const place = mkdtempSync(join(tmpdir(), 'types-'));
  try {
    writeFileSync(join(place, 'package.json'), '{"private": true}');
    const quiet = ['--silent', '--ignore-scripts', '--no-audit', '--prefix', place];
    run('npm', ['install', ...quiet, npm, ...generated.by]);
    const modules = join(place, 'node_modules');
    const wanted = types.flatMap((type) => ['--type', type]);
    run(process.execPath, [
      join(modules, 'ts-json-schema-generator/bin/ts-json-schema-generator.js'),
      ...['--path', join(modules, npm.replace(/@[^@]+$/, ''), generated.from)],
      ...['--no-type-check', '--out', join(folder, file), ...wanted],
    ]);
  } finally {
    rmSync(place, { recursive: true });
  }
}

function run(command: string, words: readonly string[]): void {
  const { status } = spawnSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${words[0]} failed`);
}
