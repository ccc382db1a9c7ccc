import { isIP } from 'node:net'

/**
 * A Host header (RFC 9110, 7.2): a name, or an address in brackets, and a port. Rejects a comma, which a name may
 * contain, because two Host lines are joined by one.
 */
const HOST = /^(?:\[([\da-f:.]+)\]|([\w.~!$&'()*+;=%-]*))(?::\d*)?$/i

/** What a Host header refers to: this server, another one, or neither because it is malformed. */
export type HostVerdict = 'served' | 'other' | 'malformed'

/**
 * The host names that a server accepts. A page of another site can point its own name at this machine and so share an
 * origin with the node (DNS rebinding); the browser then sends that name in Host.
 */
export class VirtualHosts {
  /** As configured. */
  readonly names: readonly string[]
  readonly #any: boolean
  readonly #names: ReadonlySet<string>
  /** The last accepted header: most requests repeat it. */
  #accepted = ''

  /** `*` accepts any name. */
  constructor(names: readonly string[]) {
    this.names = names
    this.#any = names.includes('*')
    this.#names = new Set(names.map((name) => name.toLowerCase()))
  }

  /**
   * Classifies a Host header. An absent or empty one refers to this server. So does any IP address, because DNS
   * cannot redirect it.
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
    // A fully qualified name ends with a dot.
    return this.#names.has(lower.endsWith('.') ? lower.slice(0, -1) : lower)
  }
}
