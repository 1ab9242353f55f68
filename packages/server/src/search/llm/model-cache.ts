/**
 * Keeps what models have said of a ranking for a while, so that the pages of one ranking agree. What failed
 * is not kept. A key holds all that the answer was made of, so it is right for whoever asks the same.
 */
import { LRUCache } from 'lru-cache';

const KEPT_MS = 15 * 60_000;
const MOST_KEPT = 5_000;

export type ModelCache = LRUCache<string, { readonly value: unknown }>;
export const createModelCache = (): ModelCache => new LRUCache({ max: MOST_KEPT, ttl: KEPT_MS });
