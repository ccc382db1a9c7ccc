import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/**
 * Resolves when the server at a URL of this machine answers, whatever it answers. A connection that it takes and ends
 * counts: it has too many, and works.
 */
export function pingHttp(url: string, signal: AbortSignal): Promise<void> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    let isConnected = false
    // The certificate names the public address. Nothing is sent, and nothing that comes back is read.
    const asked = request(url, {
      method: 'HEAD',
      agent: false,
      rejectUnauthorized: false,
      // This side closes: a port whose server has closed connections may be taken for a minute (TIME_WAIT).
      headers: { connection: 'keep-alive' },
      signal,
    })
    asked.on('socket', (socket) => {
      socket.once('connect', () => {
        isConnected = true
      })
    })
    asked.on('response', (response) => {
      response.resume()
      asked.destroy()
      resolve()
    })
    asked.on('error', (error) => {
      if (isConnected && !signal.aborted) resolve()
      else reject(error)
    })
    asked.end()
  })
}
