import { isIP } from 'node:net'

/**
 * A Host header (RFC 9110, 7.2): a name, or an address in brackets, and a port. A comma, which a name may have, is
 * refused: two Host lines are joined by one.
 */
const HOST = /^(?:\[([\da-f:.]+)\]|([\w.~!$&'()*+;=%-]*))(?::\d*)?$/i

/** What a Host header names: this server, another one, or nothing that Host may. */
export type HostVerdict = 'served' | 'other' | 'malformed'

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

  /**
   * What a Host header names. It is this server if it is absent or empty. An address always is: DNS cannot be made to
   * lead it elsewhere.
   */
  judge(host: string | undefined): HostVerdict {
    if (host === undefined || host === '' || host === this.#accepted) return 'served'
    const [, address, name] = HOST.exec(host) ?? []
    if (address === undefined && name === undefined) return 'malformed'
    if (address !== undefined && isIP(address) !== 6) return 'malformed'
    if (!this.#any && address === undefined && !this.#isServed(name as string)) return 'other'
    this.#accepted = host
    return 'served'
  }

  #isServed(name: string): boolean {
    if (isIP(name) !== 0) return true
    const lower = name.toLowerCase()
    // A full name ends with a dot.
    return this.#names.has(lower.endsWith('.') ? lower.slice(0, -1) : lower)
  }
}
