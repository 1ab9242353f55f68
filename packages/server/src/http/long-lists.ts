/**
 * Checks the long lists of a body before the whole body is validated. Zod checks every element even after many wrong
 * ones, and keeps an issue of about a kilobyte for each wrong element. Ten megabytes of wrong elements would block the
 * thread that answers all callers for half a minute, and need more memory than the process has.
 */
import { z } from 'zod';

/** The check stops after this many issues, because a 422 does not list more. */
export const MAX_ISSUES = 100;
/** A list with at most this many elements is cheap to validate, so it is not checked here. */
const SHORT_LIST = 100;

type Issue = z.core.$ZodIssue;
type Params = Parameters<z.ZodType['safeParse']>[1];

/**
 * Returns the first issues of the long lists in a body when there are at least MAX_ISSUES; otherwise returns an empty
 * list.
 */
export function manyIssues(schema: z.ZodType, body: unknown, params: Params): Issue[] {
  const issues: Issue[] = [];
  collect(schema, { value: body, path: [] }, { issues, params });
  return issues.length >= MAX_ISSUES ? issues : [];
}

function collect(
  schema: z.ZodType,
  { value, path }: { readonly value: unknown; readonly path: readonly PropertyKey[] },
  found: { readonly issues: Issue[]; readonly params: Params },
): void {
  const { issues, params } = found;
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject && isRecord(value)) {
    for (const [key, field] of Object.entries(inner.shape))
      collect(field as z.ZodType, { value: value[key], path: [...path, key] }, found);
  } else if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const element = inner.element as z.ZodType;
    const isLong = value.length > SHORT_LIST;
    for (let i = 0; i < value.length && issues.length < MAX_ISSUES; i++) {
      const at = [...path, i];
      collect(element, { value: value[i], path: at }, found);
      if (!isLong || issues.length >= MAX_ISSUES) continue;
      for (const issue of element.safeParse(value[i], params).error?.issues ?? [])
        issues.push({ ...issue, path: [...at, ...issue.path] });
    }
  }
}

function unwrapped(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodDefault
  )
    inner = inner.unwrap() as z.ZodType;
  return inner;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
