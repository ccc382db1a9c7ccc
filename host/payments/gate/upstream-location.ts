/** The servers between which a redirect of an upstream is judged. */
export interface RedirectSides {
  /** URL that the upstream was asked for. */
  readonly target: URL
  /** Path of the upstream's URL, below which the gate's paths lie: empty, or without a slash at its end. */
  readonly base: string
  /** Hosts by which clients reach the gate, each with its port if it has one. */
  readonly gateHosts: readonly string[]
}

/**
 * Returns the `Location` that a client may get: one that names the upstream becomes the gate's path, one that names the
 * gate stays as it is. Undefined for any other: a client that follows it would leave the gate.
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
    // `//host` would name a server, not a path.
    const path = to.pathname.slice(base.length).replace(/^\/*/, '/')
    return `${path}${to.search}${to.hash}`
  }
  return gateHosts.includes(to.host) ? to.href : undefined
}
