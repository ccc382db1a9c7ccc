import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/**
 * Resolves when the local server at `url` answers anything. A connection that the server accepts and closes also
 * counts: the server is busy, but alive.
 */
export function pingHttp(url: string, signal: AbortSignal): Promise<void> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    let isConnected = false
    // The certificate is for the public address. The request and the response carry no data.
    const asked = request(url, {
      method: 'HEAD',
      agent: false,
      rejectUnauthorized: false,
      // The client closes the connection: the server's port would otherwise stay in TIME_WAIT for a minute.
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
