/** Writes a search as a program asks it. Each text works when it is pasted, with QUARRY_API_KEY in the environment. */

export const LANGUAGES = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
] as const;
export type Language = (typeof LANGUAGES)[number]['value'];

interface AskedByCode {
  readonly origin: string;
  readonly collection: string;
  readonly body: object;
  readonly principals: string | undefined;
}

export function codeFor(language: Language, asked: AskedByCode): string {
  const { origin, collection, body, principals } = asked;
  const url = `${origin}/v1/collections/${encodeURIComponent(collection)}/search`;
  const json = JSON.stringify(body, null, 2);
  switch (language) {
    case 'curl': {
      const headers = [
        '-H "authorization: Bearer $QUARRY_API_KEY"',
        "-H 'content-type: application/json'",
        ...(principals ? [`-H ${shellQuoted(`x-principals: ${principals}`)}`] : []),
      ];
      return [`curl -s ${shellQuoted(url)}`, ...headers, `-d ${shellQuoted(json)}`].join(' \\\n  ');
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

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** A JSON text is a string of Python too, apart from characters that JSON leaves as they are. */
const pythonQuoted = (text: string): string => JSON.stringify(text);
const indented = (text: string, spaces: number): string =>
  text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
