/**
 * A refusal says that the file of a record could not be read, or has no text, at this version of the record. Such a record
 * has no row, or an old one, so each sync would read the file again: a folder of damaged documents would be parsed at
 * every change in it. While the version, the converters and the configuration are the same, a refusal answers instead.
 */
import type { Db, Tx } from '../../db/schema.ts';
import { allConverters, isCurrentExtract, type OptionalKinds } from '../../documents/kinds.ts';
import type { Stub } from '../../sources/items.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import { findRefusals, keepRefusals } from '../jobs/refusal-store.ts';
import type { CommitTarget } from './commit.ts';
import type { StoredEntity } from './store.ts';

type Target = Pick<CommitTarget, 'connectionId' | 'configuredAt' | 'optional'>;

/** The configuration may name files that are left out otherwise, and new converters may read what others could not. */
const readBy = ({ configuredAt, optional }: Target): string =>
  `${allConverters(optional)} ${configuredAt}`;

/** Returns what is left out of these records as in the last sync, by the ids of the records. */
export async function refusalsOf(
  db: Db,
  stubs: readonly Stub[],
  {
    stored,
    target,
  }: { readonly stored: ReadonlyMap<string, StoredEntity>; readonly target: Target },
): Promise<Map<string, LeftOutRecord>> {
  const asked = new Map(
    stubs
      .filter((stub) => !stub.isAgain && !wasRead(stub, stored.get(stub.id), target.optional))
      .map((stub) => [stub.id, stub]),
  );
  const rows = await findRefusals(db, target.connectionId, {
    ids: [...asked.keys()],
    readBy: readBy(target),
  });
  return new Map(
    rows.flatMap((row) => {
      const { entity_id: id, entity_type: type, kind, message: reason, detail, hint } = row;
      const stub = asked.get(id);
      if (stub?.version !== row.version || stub.type !== type) return [];
      const removes = kind === 'skip' ? ({ removes: 'record' } as const) : {};
      return [[id, { kind, id, type, reason, detail, hint, ...removes, stage: 'extract' }]];
    }),
  );
}

/** The file of this version has been read since it was refused. */
const wasRead = (
  stub: Stub,
  row: StoredEntity | undefined,
  optional: OptionalKinds | undefined,
): boolean =>
  row !== undefined &&
  row.version === stub.version &&
  isCurrentExtract(row.extract_version, optional);

export async function writeRefusals(
  tx: Tx,
  target: Target,
  leftOut: readonly LeftOutRecord[],
): Promise<void> {
  const refused = new Map(
    leftOut.flatMap(({ refusedVersion: version, id, type, kind, reason, detail, hint }) => {
      if (version === undefined) return [];
      const row = { entity_id: id, entity_type: type, version, kind, message: reason };
      return [[id, { ...row, detail, hint }]];
    }),
  );
  if (refused.size === 0) return;
  const every = {
    connection_id: target.connectionId,
    read_by: readBy(target),
    created_at: Date.now(),
  };
  await keepRefusals(
    tx,
    [...refused.values()].map((row) => ({ ...row, ...every })),
  );
}
