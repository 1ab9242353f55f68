/**
 * `npm run bench:documents [-- --only quality|speed|folder|found]` measures the converters of documents beside other programs.
 * LibreOffice and pandoc make the documents of sources whose words, headings and cells are known; the bench keeps them in
 * a temporary folder for the next run. It needs soffice, pandoc, pdftotext and zip, and installs officeparser beside them.
 *
 * 1. Quality: 60 documents. Which share of the words comes in the right order, and which of the headings and cells?
 * 2. Speed: Quarry, mammoth, officeparser, pandoc and pdftotext read the same documents in turns.
 * 3. Folder: 1,000 documents, with those that Debian's packages ship, are synced by the service while it is searched.
 * 4. Found: more than 400 documents of all kinds, each with a sentence that only it says. Does the service find the document
 *    by it, with the page on which it stands?
 *
 * --only <part>      runs one part
 * --list             prints words, headings, cells and sentences that were not found
 * --rounds <n>       reads each document so often in the part on speed (7)
 * --kinds <a,b>      reads only documents of these kinds in the part on speed
 * --documents <n>    puts so many documents into the folder (1,000)
 */
import { parseArgs } from 'node:util';
import { answerHelp } from '../../scripts/help.ts';
import { measureFolder } from './folder.ts';
import { measureFound } from './found.ts';
import { installOfficeParser } from './officeparser.ts';
import { requirePrograms } from './programs.ts';
import { measureQuality } from './quality.ts';
import { measureSpeed } from './speed.ts';
import { printMachine } from './table.ts';

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    kinds: { type: 'string' },
    documents: { type: 'string', default: '1000' },
  },
});
const { only, list, kinds } = values;
const parts = {
  quality: () => measureQuality({ list }),
  speed: () =>
    measureSpeed({ rounds: Number(values.rounds), ...(kinds && { kinds: kinds.split(',') }) }),
  folder: () => measureFolder({ documents: Number(values.documents) }),
  found: () => measureFound({ list }),
};
if (only !== undefined && !Object.hasOwn(parts, only))
  throw new Error(`--only takes ${Object.keys(parts).join(', ')}, not '${only}'`);
requirePrograms();
await installOfficeParser();
for (const [name, measure] of Object.entries(parts)) {
  if (only !== undefined && only !== name) continue;
  printMachine();
  await measure();
}
