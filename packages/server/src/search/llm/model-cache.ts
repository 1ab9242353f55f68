/**
 * Keeps the answers of models for a ranking for a while, so that the pages of one ranking agree. Failures are not
 * kept. A key holds everything that the answer depends on, so an answer is right for every caller that asks the
 * same.
 */
import { LRUCache } from 'lru-cache';

const KEPT_MS = 15 * 60_000;
const MOST_KEPT = 5_000;

export type ModelCache = LRUCache<string, { readonly value: unknown }>;
export const createModelCache = (): ModelCache => new LRUCache({ max: MOST_KEPT, ttl: KEPT_MS });
