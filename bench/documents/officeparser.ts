/** Installs officeparser into the cache of the bench: the project does not depend on it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tellProgress } from '../../scripts/help.ts';
import { CACHE } from './make.ts';
import { run } from './programs.ts';

const VERSION = '8.1.1';
const FOLDER = join(CACHE, `officeparser-${VERSION}`);
const ENTRY = join(FOLDER, 'node_modules/officeparser/dist/index.mjs');

/** This is the part of the interface of officeparser that the bench calls. */
interface OfficeParser {
  parseOffice(path: string): Promise<{
    to(form: 'html' | 'text'): Promise<{ readonly value: string }>;
  }>;
}

export async function installOfficeParser(): Promise<void> {
  if (existsSync(ENTRY)) return;
  tellProgress(`installing officeparser ${VERSION} into ${FOLDER}`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"private":true}');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
  await run('npm', ['install', ...flags, `officeparser@${VERSION}`], { cwd: FOLDER });
}

/** The type checker does not know the package, because it is not in the workspace. */
export const loadOfficeParser = async (): Promise<OfficeParser> => import(ENTRY);
