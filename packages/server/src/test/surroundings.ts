/** Of a test: everything may be reached. */

import { createSend } from '../net/guarded-send.ts';
import type { SourceEnvironment } from '../sources/define.ts';
import type { TransformerRuntime } from '../transformers/open.ts';

/** The data directory of a test that has none. */
export const NO_DATA_DIR = '/nonexistent/data';

export const anywhere: SourceEnvironment = {
  allowPath: async (path) => path,
  ownFiles: async () => () => false,
  allowHost: async (host) => host,
  send: createSend(async (host) => host),
};

/** Of a test that has no modules. */
export const noWorkshop: TransformerRuntime = { folder: undefined, timeoutMs: 1000, memoryMb: 256 };
