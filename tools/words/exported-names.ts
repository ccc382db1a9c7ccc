const EXPORT =
  /^export (?:async )?(?:abstract )?(?:function\*?|class|interface|type|const|let) ([\w$]+)/gm

/** Names between the braces of `export { a, type b } from '...'`. */
const LISTED = /^export (?:type )?\{([^}]*)\}/gm

/** Returns the names that modules of the package list as their exports: users import each from one module. */
export function listedExports(sources: Iterable<string>): ReadonlySet<string> {
  const names = Array.from(sources, (source) =>
    Array.from(source.matchAll(LISTED), ([, list = '']) => list.match(/[\w$]+/g) ?? []),
  )
  return new Set(names.flat(2))
}

/**
 * Finds names that more than one file exports.
 * @param sources text by path
 */
export function repeatedExports(
  sources: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>()
  for (const [file, source] of sources) {
    // Overloads of a function repeat its name in one file.
    const names = new Set(Array.from(source.matchAll(EXPORT), ([, name = '']) => name))
    for (const name of names) files.set(name, [...(files.get(name) ?? []), file])
  }
  return new Map([...files].filter(([, paths]) => paths.length > 1))
}
