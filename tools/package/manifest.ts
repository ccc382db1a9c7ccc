import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What of package.json is looked at. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  /** By name: a module with its types, or a file that is no module. */
  readonly exports: Readonly<
    Record<string, string | { readonly types: string; readonly default: string }>
  >
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

/** package.json of a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** The files that others begin with, by their paths below dist/. */
export interface ManifestEntries {
  /** The commands, and the modules that are exported. */
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
