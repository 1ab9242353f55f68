/**
 * Filter groups are the filter of the agentic search: AND joins the conditions within a group, OR joins the
 * groups. They become a filter of the standard search, so that both put the same conditions on the same fields.
 */
import { z } from 'zod';
import { tooDeep } from './filter.ts';
import { type Clause, StandardFilter } from './filter-schema.ts';

const MAX_GROUPS = 100;
const MAX_CONDITIONS = 100;
/** The system's own fields may have the names under which agentic results show them. */
const PREFIX = 'service_system_metadata.';

const OPERATORS = {
  equals: (key: string, value: unknown) => ({ key, match: { value } }),
  not_equals: (key: string, value: unknown) => ({ key, match: { except: [value] } }),
  contains: (key: string, text: unknown) => ({ key, match: { text } }),
  greater_than: (key: string, gt: unknown) => ({ key, range: { gt } }),
  less_than: (key: string, lt: unknown) => ({ key, range: { lt } }),
  greater_than_or_equal: (key: string, gte: unknown) => ({ key, range: { gte } }),
  less_than_or_equal: (key: string, lte: unknown) => ({ key, range: { lte } }),
  in: (key: string, any: unknown) => ({ key, match: { any } }),
  not_in: (key: string, except: unknown) => ({ key, match: { except } }),
} as const;

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const GroupCondition = z
  .strictObject({
    field: z
      .string()
      .describe(
        'Key of the standard filter. The prefix `service_system_metadata.` is allowed and changes nothing.',
      ),
    operator: z.enum(Object.keys(OPERATORS) as (keyof typeof OPERATORS)[]),
    value: z.union([scalar, z.array(scalar)]),
  })
  .transform(({ field, operator, value }, context): Clause => {
    const key = field.startsWith(PREFIX) ? field.slice(PREFIX.length) : field;
    const must = OPERATORS[operator](key, value);
    const parsed = StandardFilter.safeParse({ must });
    if (parsed.success) return parsed.data.must as Clause;
    const message = `${operator} with this value is not possible for the field '${field}'`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const conditions = z.array(GroupCondition).min(1).max(MAX_CONDITIONS);

export const FilterGroups = z
  .array(z.union([conditions, z.strictObject({ conditions })]))
  .max(MAX_GROUPS)
  .transform((groups, context): StandardFilter => {
    const should = groups.map((group) => ({
      must: 'conditions' in group ? group.conditions : group,
    }));
    const tooMuch = tooDeep({ should });
    if (tooMuch) context.addIssue({ code: 'custom', message: tooMuch });
    return { should };
  });
