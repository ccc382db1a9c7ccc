import { formatBase64 } from '../../base/base64.ts'
import { LockstepError } from '../../base/error.ts'

/** Minimum characters of a path segment that may be a provider's key. */
const KEY_LENGTH = 16

/** The address of a node, and its name in messages. */
export interface NodeAddress {
  /** Without user and password, which fetch rejects in an address. */
  readonly url: string
  /** For messages: without the query and path segments that may be keys. */
  readonly name: string
  /** Header fields with the user and password. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Parses the address of a node's JSON-RPC over HTTP.
 * @throws INVALID_ARGUMENT without the text, which may hold a password
 */
export function parseNodeAddress(text: string): NodeAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const what = url === undefined ? 'no URL' : `a URL of ${url.protocol}`
    throw new LockstepError('INVALID_ARGUMENT', `the address of the node is ${what}`, {
      hint: 'write it as http://127.0.0.1:8545 or https://...',
    })
  }
  const { username, password } = url
  const isNamed = username !== '' || password !== ''
  url.username = ''
  url.password = ''
  url.hash = ''
  return {
    url: url.href,
    name: nameOf(url),
    headers: isNamed ? { authorization: `Basic ${credentials(username, password)}` } : {},
  }
}

function nameOf({ protocol, host, pathname, search }: URL): string {
  const path = pathname
    .split('/')
    .map((part) => (part.length >= KEY_LENGTH ? '...' : part))
    .join('/')
  return `${protocol}//${host}${path === '/' ? '' : path}${search === '' ? '' : '?...'}`
}

function credentials(username: string, password: string): string {
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return formatBase64(new TextEncoder().encode(text))
}
