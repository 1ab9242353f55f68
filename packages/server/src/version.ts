import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from './installation.ts';

const Manifest = z.object({ version: z.string() });

/** This is the version of the package, as its manifest has it. */
export const VERSION = Manifest.parse(
  JSON.parse(readFileSync(packageFile('package.json'), 'utf8')),
).version;
