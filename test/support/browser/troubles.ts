/** Schemes of what is not asked of any server. */
const LOCAL: readonly string[] = [
  'data:',
  'blob:',
  'about:',
  'chrome:',
  'resource:',
  'moz-extension:',
]

/** What went wrong in a page. */
export class Troubles {
  readonly #hosts: readonly string[]
  #list: string[] = []

  constructor(hosts: readonly string[]) {
    this.#hosts = hosts
  }

  add(what: string): void {
    this.#list.push(what)
  }

  /** Looks at a request that the page makes. */
  request(url: string): void {
    const { protocol, host } = new URL(url)
    if (LOCAL.includes(protocol) || this.#hosts.includes(host)) return
    this.add(`request to another host: ${url}`)
  }

  list(): readonly string[] {
    return [...this.#list]
  }

  take(): readonly string[] {
    const taken = this.#list
    this.#list = []
    return taken
  }

  /** @throws Error with all that has not been taken */
  end(): void {
    const left = this.take()
    if (left.length > 0) throw new Error(`in the page:\n${left.join('\n')}`)
  }
}
