/**
 * Lists the packages whose code is inside of the package `quarry`, as a CycloneDX document. npm makes the list of the whole
 * lock file, with checksums and licenses; this file keeps the packages that the notices name.
 */
import { execFileSync } from 'node:child_process';

interface Sbom {
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

/** `notices` are the texts of `noticesOf`. Throws when the lock file lacks a package that they name. */
export function sbomOf(notices: readonly string[], own: { name: string; version: string }): string {
  const inside = new Set(notices.flatMap(packagesIn));
  const all = readSbom();
  const components = all.components
    .filter(({ name, version }) => inside.has(`${name} ${version}`))
    // The list says of what tests and tools use that it is for development, but these packages are bundled.
    .map((one) => ({ ...one, scope: 'required', properties: [] }));
  const found = new Set(components.map(({ name, version }) => `${name} ${version}`));
  const missing = [...inside].filter((one) => !found.has(one));
  if (missing.length > 0) throw new Error(`the lock file lacks ${missing.join(', ')}`);
  const { name, version } = own;
  const reference = `${name}@${version}`;
  return `${JSON.stringify(
    {
      $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      version: 1,
      metadata: {
        component: {
          'bom-ref': reference,
          type: 'application',
          name,
          version,
          purl: `pkg:npm/${reference}`,
          licenses: [{ license: { id: 'MIT' } }],
        },
      },
      components,
    },
    null,
    2,
  )}\n`;
}

/** Returns `name version` of each package. */
export const packagesIn = (notices: string): string[] =>
  [...notices.matchAll(/(?:^|\n-{80}\n\n)((?:@[^/\s]+\/)?[^/\s]+ \d\S*) \(/g)].map(
    ([, one = '']) => one,
  );

/** A serial number and a time would make each archive differ, so `sbomOf` leaves them out. */
function readSbom(): Sbom {
  // The lock file has the bundled packages as those for development, which npm leaves out in some environments.
  const all = ['--package-lock-only', '--include=dev', '--offline'];
  const args = ['sbom', ...all, '--sbom-format', 'cyclonedx'];
  return JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 2 ** 27 }));
}
