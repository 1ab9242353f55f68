/**
 * Gives the dashboard the logos of sources, from the package @iconify-json/logos (CC0). Its file has 2,000 logos, of
 * which the build writes only these.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Maps the short name of a source to the name of its logo. */
export const LOGO_NAMES: Readonly<Record<string, string>> = {
  confluence: 'confluence',
  discourse: 'discourse-icon',
  git: 'git-icon',
  github: 'github-icon',
  github_code: 'github-icon',
  gmail: 'google-gmail',
  google_drive: 'google-drive',
  intercom: 'intercom-icon',
  jira: 'jira',
  linear: 'linear-icon',
  mysql: 'mysql-icon',
  notion: 'notion-icon',
  outlook_mail: 'microsoft-icon',
  postgresql: 'postgresql',
  s3: 'aws-s3',
  sharepoint_online: 'microsoft-icon',
  slack: 'slack-icon',
  slack_history: 'slack-icon',
};

/** Modules of the dashboard import the addresses of the logos by this name. */
const MODULE = 'virtual:source-logos';
const RESOLVED = `\0${MODULE}`;

interface LogoFile {
  readonly width: number;
  readonly height: number;
  readonly icons: Readonly<
    Record<string, { readonly body: string; readonly width?: number; readonly height?: number }>
  >;
}

/** Returns the SVG document of each logo by its name. */
export function readLogos(): ReadonlyMap<string, string> {
  const file = fileURLToPath(import.meta.resolve('@iconify-json/logos/icons.json'));
  const { icons, ...usual } = JSON.parse(readFileSync(file, 'utf8')) as LogoFile;
  return new Map(
    [...new Set(Object.values(LOGO_NAMES))].map((name) => {
      const logo = icons[name];
      if (!logo) throw new Error(`@iconify-json/logos has no logo '${name}'`);
      const { body, width = usual.width, height = usual.height } = logo;
      const size = `viewBox="0 0 ${width} ${height}"`;
      return [name, `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${body}</svg>`];
    }),
  );
}

/** Writes each logo as a file of its own, so that the browser loads only those of the sources that it shows. */
export function sourceLogos(): Plugin {
  return {
    name: 'source-logos',
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    load(id) {
      if (id !== RESOLVED) return undefined;
      const addresses = new Map(
        [...readLogos()].map(([name, source]) => {
          const file = this.emitFile({ type: 'asset', name: `${name}.svg`, source });
          return [name, `import.meta.ROLLUP_FILE_URL_${file}`];
        }),
      );
      const entries = Object.entries(LOGO_NAMES).map(
        ([source, name]) => `${JSON.stringify(source)}: ${addresses.get(name)}`,
      );
      return `export const logos = { ${entries.join(', ')} };`;
    },
  };
}
