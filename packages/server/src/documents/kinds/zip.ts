/** Reads the files in a zip archive. */
import { createMembers } from '../archive/members.ts';
import { zipMembers } from '../archive/zip.ts';
import type { Convert } from '../convert.ts';

export const convert: Convert = async (bytes, container) => {
  const members = createMembers(container);
  for (const member of zipMembers(bytes)) await members.take(member);
  return members.list();
};
