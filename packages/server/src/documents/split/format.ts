/** The format of a text depends on the extension of its name. What a converter has written is Markdown in any case. */
import { extensionOf, unpackedName } from './extension.ts';

export type Format = 'markdown' | 'code' | 'csv' | 'json' | 'yaml';

const extensions: Record<Exclude<Format, 'markdown'>, string> = {
  code:
    'bash bat c cc clj cljs cmake conf cpp cs css cts dart diff ex exs erl fs fsx go gradle groovy h ' +
    'hcl hpp hrl hs ini java jl js jsx kt kts less lua m mjs cjs ml mli mts nim nix patch php ' +
    'pl pm properties proto ps1 py pyi r rb rs sass scala scss sh sol sql svelte swift tcl tf toml ' +
    'ts tsx v vb vue xml zig zsh',
  csv: 'csv tsv',
  json: 'json jsonl ndjson geojson',
  yaml: 'yaml yml',
};

const formats = new Map<string, Format>(
  Object.entries(extensions).flatMap(([format, list]) =>
    list.split(' ').map((extension) => [extension, format as Format] as const),
  ),
);

const NAMES = /^(?:dockerfile|makefile|rakefile|gemfile|jenkinsfile|cmakelists\.txt)$/i;

export const formatOf = (name: string): Format =>
  formats.get(extensionOf(name)) ?? (NAMES.test(unpackedName(name)) ? 'code' : 'markdown');
