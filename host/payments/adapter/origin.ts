import { LockstepError } from '../../base/error.ts'

/** Names of this machine: whoever says one in Host has sent the request from here, or means to. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

const HINT = "set publicUrl to how clients reach the server, such as 'https://api.example.com'"

/** @throws CONFIG_INVALID */
export function checkPublicUrl(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) return undefined
  const url = URL.parse(publicUrl)
  const isBare = url?.search === '' && url.hash === '' && url.username === '' && url.password === ''
  if (url === null || !isBare || !/^https?:$/.test(url.protocol)) {
    throw new LockstepError('CONFIG_INVALID', `publicUrl: '${publicUrl}' is no http or https URL`, {
      hint: HINT,
    })
  }
  return url.href.replace(/\/$/, '')
}

/**
 * The URL of a request as its client wrote it. What Host says is believed of this machine's own names alone: payments
 * are bound to the URL, and anybody may write any name there.
 * @param target path with query
 * @throws CONFIG_INVALID
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
      'publicUrl is missing: the URL of what is sold is not taken from the Host header',
      { hint: HINT },
    )
  }
  return new URL(`${scheme}://${host}${target}`)
}
