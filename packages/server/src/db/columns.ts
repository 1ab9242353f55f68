/**
 * This plugin gives SQLite's integers and texts the types that the schema declares: booleans and decoded JSON. It
 * goes by the name of the column, because a text of a user that merely looks like JSON must stay a text.
 */
import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely';

const JSON_COLUMNS = new Set([
  'feature_flags',
  'quotas',
  'sync_config',
  'config',
  'transformers',
  'cursor',
  'encountered',
  'left_out',
  'skipped_by_reason',
  'secret_examples',
  'error_details',
  'breadcrumbs',
  'viewers',
  'metadata',
  'data',
  'bookmark',
  'suspects',
  'findings',
  'config_schema',
  'input_definitions',
  'output_definitions',
  'filter_types',
  'old_secrets',
  'collection_ids',
]);
const BOOLEAN_COLUMNS = new Set([
  'all_organizations',
  'search_as',
  'continuous',
  'full',
  'accept_deletions',
  'is_listed',
  'is_hidden',
  'has_secret',
  'is_public',
  'settled',
  'lost',
]);

export class DeclaredColumns implements KyselyPlugin {
  transformQuery(args: PluginTransformQueryArgs): RootOperationNode {
    return args.node;
  }

  async transformResult(args: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const [first] = args.result.rows;
    if (!first) return args.result;
    const json = Object.keys(first).filter((name) => JSON_COLUMNS.has(name));
    const flags = Object.keys(first).filter((name) => BOOLEAN_COLUMNS.has(name));
    for (const row of args.result.rows) {
      for (const name of json) if (typeof row[name] === 'string') row[name] = JSON.parse(row[name]);
      for (const name of flags) if (typeof row[name] === 'number') row[name] = row[name] !== 0;
    }
    return args.result;
  }
}
