/**
 * Describes the tables and queries of a connection before any rows are read, and finds the tables that cannot be read.
 */
import { SourceError } from '../../errors.ts';
import { must } from '../../util.ts';
import type { Part, PlanPart, Transactions } from './database.ts';
import { concernsOnePart } from './failure.ts';
import type { Relation, UnreadableTable } from './relations.ts';
import { checkColumns } from './shape.ts';

export const isUnreadable = (part: PlanPart): part is UnreadableTable => 'error' in part;

export const partitionOf = (part: PlanPart): string =>
  isUnreadable(part) ? part.partition : part.shape.relation.partition;

interface Described<Of extends Relation, Column> {
  readonly relation: Of;
  readonly columns: readonly Column[];
}

interface PartFinder<Of extends Relation, Column> extends Transactions {
  relations(): Promise<(Of | UnreadableTable)[]>;
  describe(relation: Of): Promise<readonly Column[]>;
  /** Returns one part for each of these relations, in their order. */
  parts(described: readonly Described<Of, Column>[]): Promise<readonly Part[]>;
}

export async function planParts<Of extends Relation, Column extends { readonly name: string }>(
  finder: PartFinder<Of, Column>,
): Promise<PlanPart[]> {
  await finder.begin();
  const relations = await finder.relations();
  await finder.commit();
  const described: (UnreadableTable | Described<Of, Column>)[] = [];
  for (const relation of relations)
    described.push('error' in relation ? relation : await describe(finder, relation));
  await finder.begin();
  const readable = described.flatMap((one) => ('error' in one ? [] : [one]));
  const parts = [...(await finder.parts(readable))];
  await finder.commit();
  return described.map((one) => ('error' in one ? one : must(parts.shift())));
}

/** Each table or query is described in a transaction of its own, because an error ends the transaction. */
async function describe<Of extends Relation, Column extends { readonly name: string }>(
  finder: PartFinder<Of, Column>,
  relation: Of,
): Promise<UnreadableTable | Described<Of, Column>> {
  await finder.begin();
  try {
    const columns = await finder.describe(relation);
    checkColumns(relation, columns);
    await finder.commit();
    return { relation, columns };
  } catch (error) {
    const reason = errorOfOnePart(error, relation);
    await finder.rollback();
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
