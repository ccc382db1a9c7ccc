import { LockstepError } from '../../base/error.ts'

/** Host values of this machine; a client that sends one is local or addresses itself. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

const HINT = "set publicUrl to how clients reach the server, such as 'https://api.example.com'"

/** @throws CONFIG_INVALID */
export function checkPublicUrl(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) return undefined
  const url = URL.parse(publicUrl)
  const isBare = url?.search === '' && url.hash === '' && url.username === '' && url.password === ''
  if (url === null || !isBare || !/^https?:$/.test(url.protocol)) {
    throw new LockstepError(
      'CONFIG_INVALID',
      `publicUrl: '${publicUrl}' is not an http or https URL`,
      {
        hint: HINT,
      },
    )
  }
  return url.href.replace(/\/$/, '')
}

/**
 * Returns the URL of a request as its client wrote it. The Host header is trusted for loopback names only: payments
 * are bound to the URL, and a client can put any name there.
 * @param target path with query
 * @throws CONFIG_INVALID if `publicUrl` is unset and Host is not a loopback name
 */
export function requestUrl(
  publicUrl: string | undefined,
  scheme: string,
  host: string | undefined,
  target: string,
): URL {
  if (publicUrl !== undefined) return new URL(`${publicUrl}${target}`)
  if (host === undefined || !LOOPBACK.test(host)) {
    throw new LockstepError(
      'CONFIG_INVALID',
      'publicUrl is missing: the URL of a paid resource is not taken from the Host header',
      { hint: HINT },
    )
  }
  return new URL(`${scheme}://${host}${target}`)
}
