/** These facts are known when the process starts: the version, and the models that the settings name. */
import { resolve } from 'node:path';
import envPaths from 'env-paths';
import type { Config } from '../config.ts';
import type { Embedder } from '../engines/ports.ts';
import { isPackage } from '../installation.ts';
import { BUILTIN } from '../model-settings.ts';
import { type ModelRole, nameOf, parseModel } from '../providers.ts';
import { VERSION } from '../version.ts';
import type { SystemDeps } from './service.ts';

type SystemConfig = Pick<
  Config,
  | 'QUARRY_API_KEY'
  | 'QUARRY_DATA_DIR'
  | 'DATABASE_URL'
  | 'QUARRY_EMBEDDER'
  | 'QUARRY_RERANKER'
  | 'QUARRY_LLM'
  | 'QUARRY_ROLES'
  | 'QUARRY_INDEX_MEMORY_MB'
  | 'QUARRY_SEARCH_THREADS'
>;
type UsedEmbedder = Pick<Embedder, 'model' | 'isBuiltIn' | 'dimensions'>;

export const systemFacts = (
  config: SystemConfig,
  embedder: UsedEmbedder,
): Pick<SystemDeps, 'version' | 'commandLine' | 'roles' | 'models' | 'memory'> => ({
  version: VERSION,
  commandLine: commandLineOf(config),
  roles: config.QUARRY_ROLES,
  models: modelsInUse(config, embedder),
  memory: {
    index_budget_bytes: config.QUARRY_INDEX_MEMORY_MB * 2 ** 20,
    max_search_threads: config.QUARRY_SEARCH_THREADS,
  },
});

/**
 * A command finds its service, and a key, in the usual data directory. Returns null where it would lack the key, and for
 * another directory, because each kind of terminal would have to be told of it in another way.
 */
function commandLineOf({
  QUARRY_DATA_DIR: folder,
  QUARRY_API_KEY,
  DATABASE_URL,
}: SystemConfig): string | null {
  const usual = isPackage ? envPaths('quarry', { suffix: '' }).data : '.quarry';
  if (folder !== resolve(usual) || QUARRY_API_KEY !== undefined || DATABASE_URL !== undefined)
    return null;
  return isPackage ? 'quarry' : 'npm run --silent quarry --';
}

const modelsInUse = (
  config: SystemConfig,
  { model, isBuiltIn, dimensions }: UsedEmbedder,
): SystemDeps['models'] => ({
  embedder: {
    model: isBuiltIn ? model : withoutAddress(config.QUARRY_EMBEDDER, 'embedder'),
    is_built_in: isBuiltIn,
    dimensions,
  },
  reranker: {
    model: withoutAddress(config.QUARRY_RERANKER, 'reranker'),
    is_built_in: config.QUARRY_RERANKER === BUILTIN,
  },
  language_models: config.QUARRY_LLM.map((name) => withoutAddress(name, 'llm')),
});

/** The address of a model may name a host of the operator's network, which tenants need not know. */
const withoutAddress = (name: string, role: ModelRole): string =>
  name === BUILTIN ? name : nameOf(parseModel(name, role));
