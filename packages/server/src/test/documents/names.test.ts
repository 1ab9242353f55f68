/**
 * Tests which converters read the name of a file. The text of a file with the same content is taken from another record,
 * so a kind whose converter reads the name must say so in its row.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KindRow } from '../../documents/kinds/row.ts';
import { KINDS } from '../../documents/kinds/table.ts';
import { textDependsOn } from '../../documents/kinds.ts';
import { convertedFile } from './converted.ts';
import { FUZZED_KINDS, SAMPLES, type Sample } from './fuzz/samples.ts';
import { mailFile } from './mail-file.ts';

/** The samples have a title of their own, and a message of HTML looks like a saved page. */
const FURTHER: Readonly<Record<string, readonly Sample[]>> = {
  ipynb: [{ name: 'a.ipynb', bytes: Buffer.from('{"cells":[{"cell_type":"raw","source":"x"}]}') }],
  eml: [{ name: 'a.eml', bytes: mailFile(['Content-Type: text/html'], '<h1>x</h1>') }],
};

describe('a kind of files', () => {
  for (const kind of FUZZED_KINDS) {
    const { extensions, readsName = false }: KindRow = KINDS[kind];
    it(`${kind} has ${readsName ? 'texts with the names of the files' : 'the same text under each name'}`, async () => {
      let differs = false;
      for (const { name, bytes } of [...SAMPLES[kind], ...(FURTHER[kind] ?? [])]) {
        const read = async (other: string) =>
          JSON.stringify(await convertedFile(kind, other, bytes));
        const own = await read(name);
        for (const extension of extensions.split(' '))
          differs ||= (await read(`another name.${extension}`)) !== own;
      }
      assert.equal(differs, readsName);
    });
  }

  it('keeps the content and the name of a file apart', () =>
    assert.notEqual(`${textDependsOn('eml', 'a')}\nb\n`, `${textDependsOn('eml', 'a\nb')}\n`));
});
