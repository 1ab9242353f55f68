/** Names the programming language of a file by its extension. */
import { extname } from 'node:path/posix';

const LANGUAGES: Readonly<Record<string, string>> = {
  C: 'c h',
  'C#': 'cs',
  'C++': 'cc cpp cxx hh hpp hxx',
  Clojure: 'clj cljc cljs',
  CSS: 'css less sass scss',
  Dart: 'dart',
  Elixir: 'ex exs',
  Erlang: 'erl hrl',
  'F#': 'fs fsx',
  Go: 'go',
  GraphQL: 'gql graphql',
  Groovy: 'gradle groovy',
  Haskell: 'hs',
  HTML: 'htm html xhtml',
  Java: 'java',
  JavaScript: 'cjs js jsx mjs',
  JSON: 'json jsonc json5',
  Julia: 'jl',
  Kotlin: 'kt kts',
  Lua: 'lua',
  Markdown: 'markdown md mdx',
  'Objective-C': 'm mm',
  OCaml: 'ml mli',
  Perl: 'pl pm',
  PHP: 'php',
  PowerShell: 'ps1 psm1',
  'Protocol Buffers': 'proto',
  Python: 'py pyi',
  R: 'r',
  Ruby: 'rb',
  Rust: 'rs',
  Scala: 'sbt scala',
  Shell: 'bash sh zsh',
  SQL: 'sql',
  Swift: 'swift',
  Terraform: 'tf tfvars',
  TOML: 'toml',
  TypeScript: 'cts mts ts tsx',
  XML: 'xml xsd xsl',
  YAML: 'yaml yml',
  Zig: 'zig',
};

const byExtension = new Map(
  Object.entries(LANGUAGES).flatMap(([language, extensions]) =>
    extensions.split(' ').map((extension): [string, string] => [`.${extension}`, language]),
  ),
);

/** Returns null for an extension that is not in the list. */
export const languageOf = (path: string): string | null =>
  byExtension.get(extname(path).toLowerCase()) ?? null;
