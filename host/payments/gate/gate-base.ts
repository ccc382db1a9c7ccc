/** How clients reach a gate. */
export interface GateAddress {
  /** Scheme and host by which clients reach the gate; undefined to use the Host header. */
  readonly publicUrl: string | undefined
  /** Scheme if `publicUrl` is undefined. */
  readonly scheme: 'http' | 'https'
}

/** Returns the URL before the paths of a gate, for a request to `host`. */
export function gateBase({ publicUrl, scheme }: GateAddress, host: string | undefined): string {
  return publicUrl ?? URL.parse(`${scheme}://${host ?? ''}`)?.origin ?? `${scheme}://localhost`
}
