/** Turns RTF into Markdown. */
import { SourceError } from '../../errors.ts';
import type { Convert } from '../convert.ts';
import { asciiHeadOf } from '../kinds.ts';
import { readRtf } from '../rtf/read.ts';

const RTF = /^\s*\{\\rtf/;
const LOOKED_AT = 1024;

export const convert: Convert = async (bytes) => {
  if (!RTF.test(asciiHeadOf(bytes.subarray(0, LOOKED_AT))))
    throw new SourceError('skip', 'the file is broken or is not RTF', {
      hint: 'Open it in the program that has made it, and save it again.',
    });
  return readRtf(bytes);
};
