import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import { docxFile, paragraph } from '../../test/documents/docx-file.ts';
import { pptxFile, shape } from '../../test/documents/pptx-file.ts';
import { convert as convertDocx } from '../kinds/docx.ts';
import { convert as convertPptx } from '../kinds/pptx.ts';

const m = (name: string, ...inside: string[]) => `<m:${name}>${inside.join('')}</m:${name}>`;
const t = (text: string) => m('r', m('t', text));
const sign = (name: string, value: string) => `<m:${name} m:val="${value}"/>`;

describe('a formula', () => {
  for (const [formula, expected] of [
    [m('f', m('num', t('1')), m('den', t('2'))), '1/2'],
    [m('f', m('num', t('a+b')), m('den', t('2'), t('c'))), '(a+b)/(2c)'],
    [m('sSup', m('e', t('10')), m('sup', t('6'))), '10^6'],
    [m('sSub', m('e', t('x')), m('sub', t('i+1'))), 'x_(i+1)'],
    [m('sSubSup', m('e', t('x')), m('sub', t('1')), m('sup', t('2'))), 'x_1^2'],
    [m('rad', m('deg'), m('e', t('2'))), '√2'],
    [m('rad', m('deg', t('3')), m('e', t('x'))), '√(3&x)'],
    [t('2') + m('d', m('dPr', m('ctrlPr')), m('e', t('a+b'))), '2(a+b)'],
    [m('d', m('dPr', sign('begChr', '['), sign('endChr', ']')), m('e', t('x'))), '[x]'],
    [
      m('nary', m('naryPr', sign('chr', '∑')), m('sub', t('i=1')), m('sup'), m('e', t('i'))),
      '∑_(i=1)i',
    ],
    [m('nary', m('sub'), m('sup'), m('e', t('x'))), '∫x'],
    [m('nary', m('e', m('acc', m('accPr', sign('chr', '\u0305')), m('e', t('x'))))), '∫x\u0305'],
    [m('limLow', m('e', t('lim')), m('lim', t('x→0'))), 'lim_(x→0)'],
    [m('f', m('num'), m('den')) + t('x'), 'x'],
  ] as const)
    it(`is written as ${expected}, in Word and in PowerPoint`, async () => {
      const math = m('oMath', formula);
      const document = await converted(convertDocx, docxFile(`<w:p>${math}</w:p>`));
      assert.equal(document.text, expected);
      const slide = shape(`<a:p><a14:m>${math}</a14:m></a:p>`, 'body');
      const slides = await converted(convertPptx, pptxFile([slide]));
      assert.equal(slides.text, `## Slide 1\n\n- ${expected}`);
    });

  it('is not written in the code of a field', async () => {
    const brackets = m('oMath', m('d', m('e', t('x'))));
    const code = `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>${brackets}</w:p>`;
    assert.equal((await converted(convertDocx, docxFile(code + paragraph('a')))).text, 'a');
  });

  it('may nest deeply', async () => {
    const deep = `<w:p>${'<m:f><m:num>'.repeat(10_000)}${t('1')}${'</m:num></m:f>'.repeat(10_000)}</w:p>`;
    assert.match((await converted(convertDocx, docxFile(deep))).text, /^\(+1\)+$/);
  });
});
