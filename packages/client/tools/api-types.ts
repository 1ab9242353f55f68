/** `npm run api-types` makes the types of the API from the description that the service gives of itself. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { openProcess } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';
import { createLog } from '../../server/src/log.ts';

export const STORED = fileURLToPath(new URL('../src/document.ts', import.meta.url));
const HEAD =
  '/** `npm run api-types` makes this file. The client and the dashboard compile only if they fit the API. */\n\n';

export async function apiTypes(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-api-types-'));
  const quarry = await openProcess(readConfig({ QUARRY_DATA_DIR: dir }), {
    log: createLog('fatal'),
    threads: false,
    onFatal(error) {
      throw error;
    },
  });
  try {
    const { body } = await quarry.api.inject('/openapi.json');
    // A value that a request may leave out because it has a default is not required.
    return HEAD + astToString(await openapiTS(body, { defaultNonNullable: false }));
  } finally {
    await quarry.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

if (import.meta.main) writeFileSync(STORED, await apiTypes());
