/** A resource with its path. */
export interface PathResource {
  readonly path: string
  /** True if everything below the path belongs to it. */
  readonly isTree: boolean
}

/** Folds a path so that names equal to a file system or router behind the gate are equal here. */
function fold(path: string): string {
  return path.normalize('NFKC').toLowerCase()
}

/** Resources by path. The longest match decides, so that no spelling reaches a cheaper resource. */
export class ResourceMap<Resource extends PathResource> {
  readonly #resources = new Map<string, Resource>()

  constructor(resources: readonly Resource[]) {
    for (const resource of resources) this.#resources.set(fold(resource.path), resource)
  }

  /** Returns the resource of a path; undefined if there is none, or its name is spelt differently. */
  find(path: string): Resource | undefined {
    const exact = this.#resources.get(path)
    if (exact !== undefined && exact.path === path) return exact
    for (let end = path.length; end >= 0; end = path.lastIndexOf('/', end - 1)) {
      const prefix = end === 0 ? '/' : path.slice(0, end)
      const resource = this.#resources.get(fold(prefix))
      const isIts = resource !== undefined && (resource.isTree || prefix === path)
      if (isIts) return resource.path === prefix ? resource : undefined
      if (end === 0) return undefined
    }
    return undefined
  }
}
