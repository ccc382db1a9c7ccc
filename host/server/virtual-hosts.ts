import { isIP } from 'node:net'

/**
 * Which names a server answers to. A page of another site can give its own name the address of this machine and so
 * become of the same origin as the node (DNS rebinding): the browser then says that name in Host.
 */
export class VirtualHosts {
  /** As they were given. */
  readonly names: readonly string[]
  readonly #any: boolean
  readonly #names: ReadonlySet<string>
  /** The header that was accepted last: most requests have the same. */
  #accepted = ''

  /** `*` is any. */
  constructor(names: readonly string[]) {
    this.names = names
    this.#any = names.includes('*')
    this.#names = new Set(names.map((name) => name.toLowerCase()))
  }

  /** True where the Host header names this server. An address always does: DNS cannot be made to lead it elsewhere. */
  accepts(host: string | undefined): boolean {
    if (this.#any || host === undefined || host === '' || host === this.#accepted) return true
    const name = nameOf(host.toLowerCase())
    const isAccepted = isIP(name) !== 0 || this.#names.has(name)
    if (isAccepted) this.#accepted = host
    return isAccepted
  }
}

/** The host without its port, without the brackets of an IPv6 address, and without the final dot of a full name. */
function nameOf(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'))
  const colon = host.lastIndexOf(':')
  const name = colon < 0 ? host : host.slice(0, colon)
  return name.endsWith('.') ? name.slice(0, -1) : name
}
