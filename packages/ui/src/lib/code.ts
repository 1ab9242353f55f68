/** Writes a search as a program asks it. Each text works when it is pasted, with QUARRY_API_KEY in the environment. */

export const LANGUAGES = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
  { value: 'mcp', label: 'MCP' },
] as const;
export type Language = (typeof LANGUAGES)[number]['value'];

interface SearchOfCode {
  readonly query: string;
  readonly retrieval_strategy?: string;
  readonly [option: string]: unknown;
}

interface AskedByCode {
  readonly origin: string;
  readonly collection: string;
  readonly body: SearchOfCode;
  readonly principals: string | undefined;
}

export function codeFor(language: Language, asked: AskedByCode): string {
  const { origin, collection, body, principals } = asked;
  const url = `${origin}/v1/collections/${encodeURIComponent(collection)}/search`;
  const json = JSON.stringify(body, null, 2);
  const as: Readonly<Record<string, string>> = principals ? { 'x-principals': principals } : {};
  switch (language) {
    case 'curl':
      return curl(url, json, as);
    case 'mcp': {
      const { retrieval_strategy: search_method, ...others } = body;
      const given = { ...others, ...(search_method && { search_method }) };
      const params = { name: `search-${collection}`, arguments: given };
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      return curl(`${origin}/mcp`, JSON.stringify(call, null, 2), {
        'x-collection-readable-id': collection,
        ...as,
      });
    }
    case 'typescript':
      return `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.QUARRY_API_KEY}\`,
    'content-type': 'application/json',${principals ? `\n    'x-principals': ${JSON.stringify(principals)},` : ''}
  },
  body: JSON.stringify(${indented(json, 2)}),
});
const { results } = await response.json();
console.log(results);`;
    case 'python':
      return `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=${pythonQuoted(JSON.stringify(body))}.encode(),
    headers={
        "authorization": "Bearer " + os.environ["QUARRY_API_KEY"],
        "content-type": "application/json",${principals ? `\n        "x-principals": ${JSON.stringify(principals)},` : ''}
    },
)
print(json.load(urllib.request.urlopen(request))["results"])`;
  }
}

function curl(url: string, json: string, headers: Readonly<Record<string, string>>): string {
  const all = { 'content-type': 'application/json', ...headers };
  return [
    `curl -s ${shellQuoted(url)}`,
    '-H "authorization: Bearer $QUARRY_API_KEY"',
    ...Object.entries(all).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    `-d ${shellQuoted(json)}`,
  ].join(' \\\n  ');
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** A JSON text is a string of Python too, apart from characters that JSON leaves as they are. */
const pythonQuoted = (text: string): string => JSON.stringify(text);
const indented = (text: string, spaces: number): string =>
  text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
