#!/usr/bin/env node
/** This is the command `quarry-mcp`. */
import { serveLocal } from './local.ts';

try {
  serveLocal(process.env);
} catch (error) {
  process.stderr.write(`quarry-mcp: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
