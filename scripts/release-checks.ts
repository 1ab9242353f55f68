/** Says what keeps a version from being published. */
import { createHash } from 'node:crypto';

export interface ReleaseState {
  /** The version of the package. */
  readonly version: string;
  /** The versions of files that must name the same one, by the names of the files. */
  readonly named: Readonly<Record<string, string | undefined>>;
  readonly changelog: string;
  /** The output of `git status --porcelain`. */
  readonly changes: string;
  /** The tags of the present commit. */
  readonly tags: readonly string[];
  /** It is the address of the repository in the manifest of the package. */
  readonly repository: string | undefined;
}

/** Returns one sentence for each fault. The list is empty when the version can be published. */
export function releaseFaults({
  version,
  named,
  changelog,
  changes,
  tags,
  repository,
}: ReleaseState): readonly string[] {
  const others = Object.entries(named).filter(([, one]) => one !== version);
  const head = changelog.match(/^## .*$/m)?.[0] ?? '';
  const date = /^## (\S+) — (\d{4}-\d\d-\d\d)$/.exec(head);
  return [
    ...others.map(
      ([file, one]) => `${file} names ${one ?? 'no version'}, and the package ${version}`,
    ),
    ...(date?.[1] === version
      ? []
      : [`CHANGELOG.md begins with '${head}': write '## ${version} — <date of the release>'`]),
    ...(changes.trim() === '' ? [] : ['the working tree has changes: commit them']),
    ...(tags.includes(`v${version}`)
      ? []
      : [`the commit has no tag v${version}: git tag --sign v${version}`]),
    ...(repository === undefined
      ? [
          'packages/server/package.json names no repository, and npm takes provenance only from the one that it names',
        ]
      : []),
  ];
}

/** Returns what a registry says of an archive, as npm writes it. */
export const integrityOf = (archive: Uint8Array): string =>
  `sha512-${createHash('sha512').update(archive).digest('base64')}`;

/**
 * Says whether the registry has the version already, as when a release is run again because a later step failed. Throws
 * when it has the version with another content, which cannot be replaced.
 */
export function isPublished(release: {
  readonly version: string;
  readonly integrity: string;
  readonly published: string | undefined;
}): boolean {
  const { version, integrity, published } = release;
  if (published !== undefined && published !== integrity)
    throw new Error(
      `${version} is published with another content (${published}, and this is ${integrity}): raise the version`,
    );
  return published !== undefined;
}
