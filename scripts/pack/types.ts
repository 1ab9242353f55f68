/**
 * Writes the types of what the package exports. They are a few files beside the bundled code: those of ours that the entry
 * names, and the declarations of the packages behind them, because the package depends on no others.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isolatedDeclarationSync, ResolverFactory } from 'rolldown/experimental';

const IMPORT = /^((?:im|ex)port\b[^'";]*? from )["']([^'"]+)["']/gm;

const resolver = new ResolverFactory({ conditionNames: ['quarry', 'import'] });

/** Writes the types of the file `entry` into the folder, under the same name. */
export function writeTypes(folder: string, entry: string): void {
  /** Maps the path of a file to the name of its declarations. */
  const names = new Map<string, string>();
  mkdirSync(folder, { recursive: true });
  write(resolve(entry), basename(entry, '.ts'));

  function write(path: string, name: string): void {
    if ([...names.values()].includes(name))
      throw new Error(`two files of types are called ${name}`);
    names.set(path, name);
    const code = declarationsOf(path).replaceAll(IMPORT, (_, before: string, wanted: string) => {
      const { path: found, error } = resolver.sync(dirname(path), wanted);
      if (!found) throw new Error(`${path}: ${error}`);
      if (!names.has(found)) write(found, basename(wanted, '.ts'));
      return `${before}'./${names.get(found)}.js'`;
    });
    writeFileSync(join(folder, `${name}.d.ts`), code);
  }
}

function declarationsOf(path: string): string {
  if (!path.endsWith('.ts')) return readFileSync(path.replace(/\.([cm]?)js$/, '.d.$1ts'), 'utf8');
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, 'utf8'));
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message)}`);
  return code;
}
