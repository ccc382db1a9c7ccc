/** Address that a server listens at. Port 0 picks a free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const ADDRESS = /^(?:tcp:\/\/)?(\[[0-9a-fA-F:.]+\]|[^:/[\]\s]*):(\d{1,5})$/

/**
 * Parses `tcp://127.0.0.1:26657`, `127.0.0.1:26657`, `tcp://[::1]:26657`, or `:26660` for every address. Returns
 * undefined for any other text.
 */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, host, digits] = ADDRESS.exec(text) ?? []
  const port = Number(digits)
  if (host === undefined || !(port <= 65_535)) return undefined
  return { host: host === '' ? '0.0.0.0' : host.replace(/^\[|\]$/g, ''), port }
}

/** Formats as `tcp://127.0.0.1:26657`, an IPv6 address in brackets. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`
}
