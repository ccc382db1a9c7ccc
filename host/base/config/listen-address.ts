/** Where a server listens. Port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const ADDRESS = /^(?:tcp:\/\/)?(\[[0-9a-fA-F:.]+\]|[^:/[\]\s]*):(\d{1,5})$/

/**
 * `tcp://127.0.0.1:26657`, `127.0.0.1:26657`, `tcp://[::1]:26657`, or `:26660` for every address;
 * undefined when the text is none of them.
 */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, host, digits] = ADDRESS.exec(text) ?? []
  const port = Number(digits)
  if (host === undefined || !(port <= 65_535)) return undefined
  return { host: host === '' ? '0.0.0.0' : host.replace(/^\[|\]$/g, ''), port }
}

/** `tcp://127.0.0.1:26657`, an IPv6 address in brackets. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`
}
