/** The addresses against which an upstream's redirect is checked. */
export interface RedirectSides {
  /** URL requested from the upstream. */
  readonly target: URL
  /** Base path of the upstream's URL, which prefixes the gate's paths: empty, or without a trailing slash. */
  readonly base: string
  /** Hosts by which clients reach the gate, with port if any. */
  readonly gateHosts: readonly string[]
}

/**
 * Returns the `Location` to pass on. A URL of the upstream becomes a path of the gate, and a URL of the gate stays
 * unchanged. Undefined for any other, which would lead the client away from the gate.
 */
export function passedLocation(
  location: string,
  { target, base, gateHosts }: RedirectSides,
): string | undefined {
  const to = URL.parse(location, target)
  if (to === null || !/^https?:$/.test(to.protocol)) return undefined
  if (to.username !== '' || to.password !== '') return undefined
  if (to.origin === target.origin) {
    const isBelow = to.pathname === base || to.pathname.startsWith(`${base}/`)
    if (!isBelow) return undefined
    // `//host` would be read as a server, not a path.
    const path = to.pathname.slice(base.length).replace(/^\/*/, '/')
    return `${path}${to.search}${to.hash}`
  }
  return gateHosts.includes(to.host) ? to.href : undefined
}
