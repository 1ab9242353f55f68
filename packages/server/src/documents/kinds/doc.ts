/** Turns a binary document of Word into Markdown, or what is called one by its name. */
import { SourceError } from '../../errors.ts';
import { readCompound } from '../compound/file.ts';
import { aboutOf } from '../compound/summary.ts';
import type { Convert } from '../convert.ts';
import { readDoc } from '../doc/read.ts';
import { plainToMarkdown } from '../mail/plain-body.ts';
import { decodeText } from '../plain.ts';
import { type RealForm, realForm } from '../real-form.ts';
import type { ParsedKind } from './table.ts';

export const convert: Convert = async (bytes, container) => {
  const form = realForm(bytes);
  if (form === 'compound') {
    const file = readCompound(bytes);
    return { text: readDoc(file), about: aboutOf(file) };
  }
  if (form === 'text') return { text: plainToMarkdown(decodeText(bytes) ?? '') };
  if (form === 'xml')
    throw new SourceError('skip', 'the document is in an XML format, such as that of Word 2003', {
      hint: SAVE_AS_DOCX,
    });
  const kind = KINDS_OF_FORMS[form];
  if (kind) return container.convertAs(kind, bytes, form === 'page' ? 'a.mht' : undefined);
  throw new SourceError('skip', 'the file is broken or is not a document of Word', {
    hint: SAVE_AS_DOCX,
  });
};

const SAVE_AS_DOCX = 'Open it in Word or LibreOffice, and save a copy as DOCX.';

const KINDS_OF_FORMS: Partial<Record<RealForm, ParsedKind>> = {
  rtf: 'rtf',
  zip: 'docx',
  html: 'html',
  page: 'eml',
};
