import { LockstepError } from '../../../base/error.ts'

/** A field of HTTP (RFC 9110), as `curl -H` takes it. */
const FIELD = /^([!#$%&'*+.^_`|~0-9a-z-]+)\s*:\s*([\x20-\x7e]*)$/i

/**
 * Returns the header fields of requests to the forked chain's node, from lines `Name: value`.
 * @throws INVALID_ARGUMENT without the line, which may hold a key
 */
export function forkHeaderFields(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line, i) => {
      const [, name, value] = FIELD.exec(line.trim()) ?? []
      if (name !== undefined && value !== undefined) return [name.toLowerCase(), value.trim()]
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `header ${i + 1} of --dev.fork-headers is not a name, a colon and a value`,
        { hint: "write it as 'Authorization: Bearer KEY'" },
      )
    }),
  )
}
