/** Reads answers of GraphQL services (https://spec.graphql.org, section 7.1). */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { withoutQuery } from '../../net/request.ts';

export const GraphQLAnswer = z.object({
  data: z.unknown(),
  errors: z.array(z.looseObject({ message: z.string() })).optional(),
});

/** Throws a SourceError 'fatal' for an answer with errors, and for data of another shape. */
export function dataOf<T>(
  { data, errors }: z.infer<typeof GraphQLAnswer>,
  schema: z.ZodType<T>,
  url: URL,
): T {
  const [error] = errors ?? [];
  if (error) throw new SourceError('fatal', `${withoutQuery(url)} answered: ${error.message}`);
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.');
  throw new SourceError('fatal', `${withoutQuery(url)} answered in an unknown form (${where})`);
}
