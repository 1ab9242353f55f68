/**
 * Describes the tables and queries of a connection before any rows are read, and finds the tables that cannot be read.
 */
import { SourceError } from '../../errors.ts';
import { concernsOnePart } from './failure.ts';
import { findReferences } from './references.ts';
import { findRelations, type Relation, type Selection, type UnreadableTable } from './relations.ts';
import type { Column, DatabaseSession } from './session.ts';
import { checkColumns, describeColumns, readTypes, type Shape, shape } from './shape.ts';

export type PlanPart = Shape | UnreadableTable;

export const isUnreadable = (part: PlanPart): part is UnreadableTable => 'error' in part;

export const partitionOf = (part: PlanPart): string =>
  isUnreadable(part) ? part.partition : part.relation.partition;

export async function planParts(
  session: DatabaseSession,
  schema: string,
  selection: Selection,
): Promise<PlanPart[]> {
  const described: (UnreadableTable | Described)[] = [];
  await session.begin();
  const relations = await findRelations(session, schema, selection);
  await session.commit();
  for (const relation of relations)
    described.push('error' in relation ? relation : await describe(session, relation));
  const readable = described.flatMap((one) => ('error' in one ? [] : [one]));
  const oids = readable.flatMap(({ columns }) => columns.map(({ typeOid }) => typeOid));
  await session.begin();
  const types = await readTypes(session, new Set(oids));
  const references = await findReferences(
    session,
    readable.map(({ relation }) => relation),
  );
  await session.commit();
  return described.map((one) => {
    if ('error' in one) return one;
    const { relation, columns } = one;
    return shape(relation, {
      columns,
      types,
      references: references.get(relation.oid ?? -1) ?? [],
    });
  });
}

interface Described {
  readonly relation: Relation;
  readonly columns: readonly Column[];
}

/** Each table or query is described in a transaction of its own, because an error ends the transaction. */
async function describe(
  session: DatabaseSession,
  relation: Relation,
): Promise<UnreadableTable | Described> {
  await session.begin();
  try {
    const columns = await describeColumns(session, relation);
    checkColumns(relation, columns);
    await session.commit();
    return { relation, columns };
  } catch (error) {
    const reason = errorOfOnePart(error, relation);
    await session.rollback();
    return { partition: relation.partition, error: reason };
  }
}

/** Returns the error if it concerns only this table or query. Throws any other error. */
export function errorOfOnePart(error: unknown, { kind, label }: Relation): SourceError {
  if (!(error instanceof SourceError) || !concernsOnePart(error)) throw error;
  return new SourceError(error.kind, `the ${kind} ${label} cannot be read: ${error.message}`, {
    cause: error,
  });
}
