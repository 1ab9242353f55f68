import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';
import { ocrSettingsOf } from './ocr-settings.ts';

describe('the settings of text recognition', () => {
  it('name a folder of the data directory, the languages in their order, and a limit', () => {
    const config = readConfig({ QUARRY_DATA_DIR: '/srv/q', QUARRY_OCR_LANGUAGES: 'deu+eng+deu' });
    assert.deepEqual(ocrSettingsOf(config), {
      folder: join('/srv/q', 'ocr'),
      languages: ['deu', 'eng'],
      maxPages: 200,
    });
    assert.deepEqual(ocrSettingsOf(readConfig({}))?.languages, ['eng']);
  });

  it('switch it off', () => assert.equal(ocrSettingsOf(readConfig({ QUARRY_OCR: 'off' })), null));

  it('are refused when they are wrong, because a name of a language is a part of a path', () => {
    for (const names of ['../eng', 'eng,deu', 'eng+', 'e', ''])
      assert.throws(
        () => readConfig({ QUARRY_OCR_LANGUAGES: names }),
        /QUARRY_OCR_LANGUAGES: give names of Tesseract, such as eng\+deu/,
        names,
      );
    assert.throws(() => readConfig({ QUARRY_OCR_PAGES: '0' }), /give at least 1 page/);
    assert.throws(() => readConfig({ QUARRY_OCR: 'on' }), /QUARRY_OCR/);
  });
});
