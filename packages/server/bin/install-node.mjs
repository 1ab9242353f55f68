/** npm runs this file after it has installed the package: where its Node is too old for Quarry, a newer one is installed. */
import { fileURLToPath } from 'node:url';
import { recentNode } from './own-node.mjs';

await recentNode(fileURLToPath(new URL('node', import.meta.url)));
