/** The names under which things are sold, by the path of a request. */
export interface Placed {
  readonly path: string
  /** True where all that is below the path belongs to it. */
  readonly isTree: boolean
}

/** Spelling by which two paths may be one name to whoever stands behind them: file systems, routers. */
function fold(path: string): string {
  return path.normalize('NFKC').toLowerCase()
}

/** Resources by path. The longest one that has the path decides, so that no spelling leads past it to a cheaper one. */
export class ResourceMap<Resource extends Placed> {
  readonly #resources = new Map<string, Resource>()

  constructor(resources: readonly Resource[]) {
    for (const resource of resources) this.#resources.set(fold(resource.path), resource)
  }

  /** The resource that a path belongs to; undefined where there is none, or its name is spelt otherwise. */
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
