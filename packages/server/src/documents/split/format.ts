/**
 * The format of a text depends on the extension of its name, without the `.gz` of a file that is packed. The extracted text of a file may already be Markdown,
 * whatever the extension is.
 */

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

export function formatOf(name: string, text: string): Format {
  const file = name.slice(name.lastIndexOf('/') + 1).replace(/\.gz$/i, '');
  const extension = /\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  const format = formats.get(extension) ?? (NAMES.test(file) ? 'code' : 'markdown');
  if (format === 'markdown' || isMarkdown(text)) return 'markdown';
  if (extension === 'xml' && !/^\s{0,1024}</.test(text)) return 'markdown';
  return format;
}

/** Returns true for a text that begins with a code fence or a table. */
const isMarkdown = (text: string): boolean =>
  /^\s{0,9}(?:`{3}|~{3}|\|[^\n]{0,5000}\|\s{0,9}\n\|[ :|-]{1,5000}\|)/.test(text.slice(0, 12_000));
