/** The core of these tests is a module of a few lines, so that it can fail as WebAssembly does. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { OcrSetup } from './setup.ts';
import { loadTesseract } from './tesseract.ts';

/**
 * A picture is its text, and one that asks for the languages has these as its text. The memory of this core is broken
 * once an error has left it, and the data of a language is whole when it says so.
 */
const CORE = `
export default async ({ TesseractProgress }) => {
  const files = {};
  let isBroken = false;
  return {
    FS: {
      writeFile(path, content) { files[path] = String(Buffer.from(content)); },
      unlink(path) { delete files[path]; },
    },
    TessBaseAPI: class {
      Init(folder, languages) {
        this.languages = languages;
        const isWhole = (name) => files[folder + name + '.traineddata'] === 'whole';
        return languages.split('+').every(isWhole) ? 0 : -1;
      }
      SetPageSegMode() {}
      SetImageFile() {
        if (isBroken) throw new Error('memory access out of bounds');
        this.text = files['/input'];
        return 0;
      }
      Recognize() {
        isBroken = true;
        if (this.text === 'trap') throw new Error('unreachable');
        TesseractProgress();
        isBroken = false;
      }
      GetUTF8Text() { return this.text === 'languages' ? this.languages : this.text; }
      MeanTextConf() { return 90; }
      Clear() {}
    },
  };
};`;

describe('text recognition', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-tesseract-'));
  after(() => rmSync(folder, { recursive: true }));

  const [core, data] = [join(folder, 'core.mjs'), join(folder, 'eng.traineddata.gz')];
  const languages = ['eng', 'deu'].map((name) => ({ name, data }));
  const setup: OcrSetup = { core, languages, maxPages: 3 };
  writeFileSync(core, CORE);
  const install = (content: string | Uint8Array) => writeFileSync(data, content);
  install(gzipSync('whole'));

  async function read(text: string, maxMs = 60_000) {
    const recognize = await loadTesseract(setup);
    return recognize(Buffer.from(text), { orientation: 1, maxMs });
  }
  const heron = { text: 'The heron waits.', confidence: 90 };

  it('knows all languages, the main one first', async () =>
    assert.deepEqual(await read('languages'), { ...heron, text: 'eng+deu' }));

  it('starts again after a picture that took too long', async () => {
    assert.equal(await read('noise', -1), 'late');
    assert.deepEqual(await read('The heron waits.'), heron);
  });

  it('starts again after a picture at which the core failed', async () => {
    assert.equal(await read('trap'), 'undecodable');
    assert.deepEqual(await read('The heron waits.'), heron);
  });

  it('whose packages are damaged is a fault of the installation, until they are repaired', async () => {
    assert.equal(await read('trap'), 'undecodable');
    for (const content of [gzipSync('cut'), 'no gzip']) {
      install(content);
      await assert.rejects(read('The heron waits.'), {
        kind: 'config',
        message: /^text recognition cannot be loaded: Error: .*(?:language is damaged|header)/,
        hint: 'Install its packages again, or remove them (docs/documents.md).',
      });
    }
    install(gzipSync('whole'));
    assert.deepEqual(await read('The heron waits.'), heron);
  });
});
