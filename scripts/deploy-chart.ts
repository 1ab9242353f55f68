/** Renders the chart as Helm does, with the engine of templates that Helm uses (the text/template of Go, as WebAssembly). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as render } from '@evertdespiegeleer/go-template';
import { parseAllDocuments } from 'yaml';

const TEMPLATES = 'deploy/chart/templates';
const HELPERS = '_pod.tpl';

/** Returns the manifests. A value that does not exist is an error, as are functions that Go does not have by itself. */
export async function renderChart(values: object, release = 'team'): Promise<unknown[]> {
  const helpers = readFileSync(join(TEMPLATES, HELPERS), 'utf8');
  const files = readdirSync(TEMPLATES).filter((file) => file !== HELPERS);
  const data = { Values: values, Release: { Name: release } };
  const manifests: unknown[] = [];
  for (const file of files.toSorted()) {
    const text = await render(`${helpers}${readFileSync(join(TEMPLATES, file), 'utf8')}`, data);
    for (const document of parseAllDocuments(text)) {
      const [fault] = [...document.errors, ...document.warnings];
      if (fault) throw new Error(`${file}: ${fault.message}`, { cause: fault });
      const manifest: unknown = document.toJS();
      if (manifest !== null) manifests.push(manifest);
    }
  }
  return manifests;
}
