/** Compound files, such as old Office documents and messages of Outlook, begin with these bytes (MS-CFB, section 2.2). */
const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

export const isCompoundFile = (bytes: Uint8Array): boolean =>
  SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length));
