/**
 * Keeps for a while those answers of models on which a ranking depends, so that the pages of one ranking agree.
 * Failures are not kept. A key is a hash of everything that the answer depends on, so every caller with the same key
 * may get it.
 */
import { LRUCache } from 'lru-cache';

const KEPT_MS = 15 * 60_000;
const MAX_KEPT = 5_000;

export type ModelCache = LRUCache<string, { readonly value: unknown }>;
export const createModelCache = (): ModelCache => new LRUCache({ max: MAX_KEPT, ttl: KEPT_MS });
