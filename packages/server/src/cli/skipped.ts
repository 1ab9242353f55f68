/** `quarry skipped` says which records the newest sync of a connection has left out, why, and what would take them in. */
import { styleText } from 'node:util';
import { count } from '#quarry-text/numbers';
import type { Config } from '../config.ts';
import type { JobSkipped } from '../syncs/schema.ts';
import { findConnection } from './find.ts';
import { connectionPath } from './follow-sync.ts';
import { plain } from './live-line.ts';
import { allOf, runningService } from './service-client.ts';

/** A job keeps so many. */
const KEPT = 1000;

/** Throws an Error with a message for users when the connection does not exist. */
export async function listSkipped(
  config: Config,
  name: string,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const service = runningService(config);
  const { id, sync } = await findConnection(service, name);
  const { last_job: last } = sync;
  if (!last) return void process.stdout.write(json ? '[]\n' : 'It has not been read yet.\n');
  const path = `${connectionPath(id)}/jobs/${last.id}`;
  const all = await allOf<JobSkipped>(service, `${path}/skipped`);
  if (json) return void process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  process.stdout.write(
    [
      ...(all.length === 0 ? ['Nothing was left out.'] : all.flatMap(rowsOf)),
      ...(all.length >= KEPT ? [`A sync keeps the first ${count(KEPT)}; there may be more.`] : []),
    ]
      .map((line) => `${line}\n`)
      .join(''),
  );
}

const rowsOf = ({ entity_id, reason, detail, hint }: JobSkipped): string[] => [
  `${styleText('bold', plain(entity_id))}  ${plain([reason, detail].filter(Boolean).join(': '))}`,
  ...(hint === null ? [] : [`  ${plain(hint)}`]),
];
