/** Of a test: everything may be reached. */
import type { Surroundings } from '../sources/define.ts';
import { createSend } from '../sources/egress.ts';

export const anywhere: Surroundings = {
  allowPath: async (path) => path,
  allowHost: async (host) => host,
  send: createSend(async (host) => host),
};
