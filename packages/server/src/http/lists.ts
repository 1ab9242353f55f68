/**
 * Lists that are arrays take `skip` and `limit` in the query, or come whole when they are short, and send the total in a
 * header. Only digits are accepted as numbers: 1e2, 1.5 and '' are refused. docs/api.md describes all kinds of lists.
 */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';

const wholeNumber = (schema: z.ZodInt) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
    schema,
  );

export const Skip = wholeNumber(z.int().min(0)).default(0).describe('Number of items to skip.');

export const limitOf = (max: number) =>
  wholeNumber(z.int().min(1).max(max)).default(100).describe('Maximum number of items.');
const Limit = limitOf(1000);

export const Page = z.object({ skip: Skip, limit: Limit });
export type Page = z.infer<typeof Page>;

/** The rows are those of one page; the total counts the rows of all pages. */
export interface Listed<Row> {
  readonly total: number;
  readonly rows: Row[];
}

/** Sends a list that is short enough to come whole. */
export const sendWhole = <Row>(reply: FastifyReply, rows: Row[]): Row[] =>
  sendList(reply, { total: rows.length, rows });

export function sendList<Row>(reply: FastifyReply, { total, rows }: Listed<Row>): Row[] {
  void reply.header('x-total-count', total);
  return rows;
}
