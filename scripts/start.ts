/** `npm start -- [options]` runs this file. */
import { main } from '../packages/server/src/main.ts';

await main(process.argv.slice(2));
