import { formatListenAddress, type ListenAddress, parseListenAddress } from './listen-address.ts'

/** Where a node and its remote signer meet. */
export type SignerAddress =
  | ({ readonly kind: 'tcp' } & ListenAddress)
  | { readonly kind: 'unix'; readonly path: string }

/** Parses `tcp://127.0.0.1:26659` or `unix:///run/signer.sock`. Returns undefined for any other text. */
export function parseSignerAddress(text: string): SignerAddress | undefined {
  const [, path] = /^unix:\/\/(.+)$/.exec(text) ?? []
  if (path !== undefined) return { kind: 'unix', path }
  const address = parseListenAddress(text)
  return address && { kind: 'tcp', ...address }
}

/** Formats as it is parsed; CometBFT reads the same form. */
export function formatSignerAddress(address: SignerAddress): string {
  return address.kind === 'unix' ? `unix://${address.path}` : formatListenAddress(address)
}
