/**
 * `npm run release -- <folder> [--publish]` makes everything of a release, and tries it up to the point of publishing.
 *
 * The folder gets the archive of the package, its list of packages (sbom.cdx.json), the chart, and SHA256SUMS. npm then says
 * what it would publish. With `--publish` the archive is published with provenance, which only works in
 * .github/workflows/release.yml, and only without a fault (release-checks.ts).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { answerHelp } from './help.ts';
import { integrityOf, isPublished, releaseFaults } from './release-checks.ts';

answerHelp(import.meta.filename);
const words = process.argv.slice(2);
const isReal = words.includes('--publish');
const [folder, ...others] = words.filter((word) => word !== '--publish');
if (folder === undefined || others.length > 0)
  throw new Error('give one folder, and --publish or nothing');
const destination = resolve(folder);
mkdirSync(destination, { recursive: true });
if (readdirSync(destination).length > 0)
  throw new Error(`${destination} is not empty: give a new folder`);

const { name, version, repository } = JSON.parse(
  readFileSync('packages/server/package.json', 'utf8'),
);
const faults = releaseFaults({
  version,
  named: namedVersions(),
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  changes: output('git', 'status', '--porcelain'),
  tags: output('git', 'tag', '--points-at', 'HEAD').split('\n'),
  repository: repository?.url,
});
for (const fault of faults) console.log(`Not yet: ${fault}`);
if (isReal && faults.length > 0) process.exit(1);

run(process.execPath, '-C', 'quarry', 'scripts/pack.ts', destination);
const archive = join(destination, `${name}-${version}.tgz`);
const sbom = join(destination, 'sbom.cdx.json');
writeFileSync(sbom, output('tar', '-xzOf', archive, 'package/sbom.cdx.json'));
run('tar', '-czf', join(destination, `${name}-chart-${version}.tgz`), '-C', 'deploy', 'chart');
const sums = readdirSync(destination).toSorted().map(sumOf).join('');
writeFileSync(join(destination, 'SHA256SUMS'), sums);
if (isReal) {
  const integrity = integrityOf(readFileSync(archive));
  if (isPublished({ version, integrity, published: publishedIntegrity() }))
    console.log(`${name} ${version} is published already, with this content.`);
  else run('npm', 'publish', archive, '--provenance', '--access', 'public');
} else {
  // The registry is not asked, so the test of a release needs no network.
  run('npm', 'publish', archive, '--dry-run', '--access', 'public', '--offline', '--tag', 'next');
  console.log(`Nothing was published: ${destination} has what would be.`);
}

/** Returns the versions that files name beside the package. */
function namedVersions(): Record<string, string | undefined> {
  const chart = parse(readFileSync('deploy/chart/Chart.yaml', 'utf8'));
  const values = parse(readFileSync('deploy/chart/values.yaml', 'utf8'));
  const compose = readFileSync('deploy/compose.yaml', 'utf8');
  return {
    'package.json': JSON.parse(readFileSync('package.json', 'utf8')).version,
    'deploy/chart/Chart.yaml (version)': chart.version,
    'deploy/chart/Chart.yaml (appVersion)': chart.appVersion,
    'deploy/chart/values.yaml (image.tag)': values.image.tag,
    'deploy/compose.yaml (image)': /image: quarry:(\S+)/.exec(compose)?.[1],
  };
}

/** Asks the registry for what it has of this version. Returns undefined when it does not have the version. */
function publishedIntegrity(): string | undefined {
  const asked = spawnSync('npm', ['view', `${name}@${version}`, 'dist.integrity', '--json'], {
    encoding: 'utf8',
  });
  const answer = asked.stdout.trim() === '' ? null : JSON.parse(asked.stdout);
  if (asked.status === 0) return answer ?? undefined;
  if (answer?.error?.code === 'E404') return undefined;
  throw new Error(`the registry does not say whether ${version} is published: ${asked.stderr}`);
}

function sumOf(file: string): string {
  const sum = createHash('sha256').update(readFileSync(join(destination, file)));
  return `${sum.digest('hex')}  ${file}\n`;
}

function output(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 27 }).trim();
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'inherit' });
}
