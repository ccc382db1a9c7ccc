import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The fields of package.json in use. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  /** By name: a module with its types, or a file that is not a module. */
  readonly exports: Readonly<
    Record<string, string | { readonly types: string; readonly default: string }>
  >
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** Reads the package.json of a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** The entry files for users, by their paths relative to dist/. */
export interface ManifestEntries {
  /** The commands, and the exported modules. */
  readonly modules: readonly string[]
  /** The types of those modules. */
  readonly types: readonly string[]
}

export function manifestEntries({ bin, exports }: Manifest): ManifestEntries {
  const exported = Object.values(exports).filter((entry) => typeof entry !== 'string')
  const below = (path: string) => relative('dist', path)
  return {
    modules: [...Object.values(bin), ...exported.map((entry) => entry.default)].map(below),
    types: exported.map((entry) => below(entry.types)),
  }
}
