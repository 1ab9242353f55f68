/** This child is never ready. */
import { setTimeout } from 'node:timers/promises';

await setTimeout(1_000_000);
