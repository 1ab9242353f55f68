/** This file says which requests belong to one caller. */
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../model/hash.ts';
import { apiKeyOf } from './auth.ts';

/**
 * Identifies the caller: all requests with one key give the same text, and so do all requests of one person who signed
 * in without a key.
 */
export function callerOf({ ctx, headers }: Pick<FastifyRequest, 'ctx' | 'headers'>): string {
  const key = ctx.person === undefined ? apiKeyOf(headers) : undefined;
  return key === undefined ? `account ${ctx.account.id}` : sha256(key);
}
